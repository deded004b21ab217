"""Pieces of machinery that programs import from modules around them: schemas of outputs, their hooks, names of spans."""

import asyncio
import warnings

from _common import fact
from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    DeferredToolRequests,
    ModelRetry,
    NativeOutput,
    PromptedOutput,
    RunContext,
    RunUsage,
    TextOutput,
    ToolCallPart,
    ToolOutput,
    capture_run_messages,
)
from pydantic_ai.agent import DeferredCapabilityLoader, PendingMessageDrainCapability, validate_from_spec_args
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.instrumentation import InstrumentationNames
from pydantic_ai.capabilities.prepare_tools import warn_on_prepare_callback_returned_none
from pydantic_ai.direct import deprecated_callable_property
from pydantic_ai.exceptions import ToolRetryError
from pydantic_ai.models import ModelRequestParameters, StructuredTextOutputSchema
from pydantic_ai.models.fallback import model_request_parameters_attributes
from pydantic_ai.models.test import TestModel
from pydantic_ai.output import DeferredToolCalls, OutputContext, OutputObjectDefinition
from pydantic_ai.result import TextOutputSchema, run_output_with_hooks
from pydantic_ai.tool_manager import (
    OutputSchema,
    OutputToolset,
    run_output_process_hooks,
    run_output_validate_hooks,
)
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets.function import prepare_instructions


class City(BaseModel):
    """A city."""

    name: str


class Dog(BaseModel):
    age: int


def function(x: int) -> str:
    """Do it."""
    return 'x'


def words(text: str) -> str:
    return text


def tools_of(toolset):
    return [(tool.name, tool.description, tool.strict) for tool in toolset._tool_defs]


def schemas():
    named = {'name': 'n', 'description': 'd', 'strict': True}
    specs = {
        'type': City,
        'types': [City, Dog],
        'text and type': [str, City],
        'text': str,
        'function': function,
        'marker': ToolOutput(City),
        'marker with name': ToolOutput(City, name='own'),
        'markers': [ToolOutput(City, name='own', description='mine', strict=False), Dog],
        'native': NativeOutput(City),
        'native, several': NativeOutput([City, Dog], name='own'),
        'prompted': PromptedOutput(City, description='mine'),
        'text function': TextOutput(words),
    }
    for title, spec in specs.items():
        schema = OutputSchema.build(spec, **named)
        definition = schema.object_def
        fact(
            title,
            {
                'mode': schema.mode,
                'tools': tools_of(schema.toolset) if schema.toolset else None,
                'object': definition and (definition.name, definition.description, definition.strict),
                'kinds': [
                    isinstance(schema, kind) for kind in (StructuredTextOutputSchema, TextOutputSchema, OutputSchema)
                ],
            },
        )
    fact('toolset', tools_of(OutputToolset.build([City, Dog], 'n', 'd', True)))
    definition = OutputObjectDefinition(json_schema={'type': 'object', 'properties': {}}, name='n', description='d')
    for template in ('Use {schema}!', 'No place'):
        fact('instructions', StructuredTextOutputSchema.build_instructions(template, definition))


class Loud(AbstractCapability):
    async def before_output_validate(self, ctx, *, output_context, output):
        return output.upper()

    async def after_output_process(self, ctx, *, output_context, output):
        if output == 'AGAIN':
            raise ModelRetry('once more')
        return f'{output}!'


def context():
    seen = []
    agent = Agent(TestModel())

    @agent.instructions
    def look(ctx: RunContext) -> str:
        seen.append(ctx)
        return ''

    with capture_run_messages():
        agent.run_sync('q')
    return seen[0]


async def hooks(ctx):
    async def same(value):
        return value

    async def refuse(value):
        raise ModelRetry('not that')

    about = OutputContext(mode='text', output_type=str, object_def=None, has_function=False)
    of_tool = OutputContext(
        mode='tool', output_type=str, object_def=None, has_function=False, tool_call=ToolCallPart('t', {}, 'id')
    )
    schema = OutputSchema.build(str)
    shared = {'run_context': ctx, 'output_context': about}

    async def attempt(title, action):
        try:
            fact(title, await action)
        except (ModelRetry, ToolRetryError) as error:
            part = getattr(error, 'tool_retry', None)
            fact(title, [type(error).__name__, part and [part.content, part.tool_name]])

    await attempt('validate', run_output_validate_hooks(Loud(), output='a', do_validate=same, **shared))
    await attempt('process', run_output_process_hooks(Loud(), output='a', do_process=same, **shared))
    await attempt('refused', run_output_process_hooks(Loud(), output='a', do_process=refuse, **shared))
    plain = run_output_process_hooks(Loud(), output='a', do_process=refuse, wrap_validation_errors=False, **shared)
    await attempt('refused, as it is', plain)
    shared['output_context'] = of_tool
    await attempt('of a tool', run_output_process_hooks(Loud(), output='a', do_process=refuse, **shared))
    for text in ('hi', 'AGAIN'):
        processor, run_context = schema.text_processor, {'run_context': ctx, 'capability': Loud(), 'schema': schema}
        await attempt(text, run_output_with_hooks(processor, text=text, **run_context))


class Record:
    @deprecated_callable_property('a record')
    def usage(self):
        """What was used."""
        return RunUsage(requests=1)


class Spec:
    @classmethod
    def from_spec(cls, a: int, b: str = 'x', *rest: int, **more: int): ...


def others():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        usage = Record().usage
        before = len(caught)
        fact('property', [usage == usage(), before, len(caught), isinstance(usage, RunUsage), Record.usage.__doc__])
        warn_on_prepare_callback_returned_none(function)
        fact('category', caught[-1].category.__name__)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        requests = DeferredToolCalls(calls=[ToolCallPart('a', {}, 'id')])
        fact('old requests', [[call.tool_name for call in requests.tool_calls], requests.tool_defs])
        fact(
            'kinds', [isinstance(requests, DeferredToolRequests), isinstance(DeferredToolRequests(), DeferredToolCalls)]
        )
    for arguments, named in (((1,), {}), (('1', 'y'), {'more': '3'}), ((), {'zzz': 1})):
        fact('arguments', validate_from_spec_args(Spec, arguments, named, {}))
    for instructions in (None, 'a', ['a', words]):
        fact('instructions', [type(part).__name__ for part in prepare_instructions(instructions)])
    for version in (1, 2, 3, 5):
        names = InstrumentationNames.for_version(version)
        fact('names', [*vars(names).values(), names.tool_deferral_name_attr, names.tool_deferral_metadata_attr])
        spans = [
            names.get_agent_run_span_name('a'),
            names.get_tool_span_name('t'),
            names.get_output_tool_span_name('o'),
        ]
        fact('spans', spans)
    fact(
        'parameters',
        model_request_parameters_attributes(ModelRequestParameters(function_tools=[ToolDefinition(name='x')])),
    )
    for kind in (DeferredCapabilityLoader, PendingMessageDrainCapability):
        fact('capability', issubclass(kind, AbstractCapability))


schemas()
asyncio.run(hooks(context()))
others()
