"""`result.show()` and `result.cost()`: what happened in a run, in a few lines, and what it cost."""

from __future__ import annotations

import io
import re
from decimal import Decimal

import pytest
from pydantic import BaseModel

from stead import Agent, BinaryContent, DeferredToolRequests, ModelRetry, Tool
from stead.exceptions import UnexpectedModelBehavior
from stead.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.toolsets import FunctionToolset
from stead.usage import Cost, RequestUsage


def scripted(*responses: ModelResponse) -> FunctionModel:
    """A model that gives these responses, one after the other."""
    left = list(responses)
    return FunctionModel(lambda messages, info: left.pop(0))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shop() -> Agent[None, str]:
    calls = ToolCallPart('find', {'order': 'A-17'}, 'c1'), ToolCallPart('find', {'order': 'x'}, 'c2')
    agent = Agent(
        scripted(
            ModelResponse([ThinkingPart('An order.'), *calls], usage=RequestUsage(input_tokens=50, output_tokens=10)),
            ModelResponse([TextPart('It was sent.')], usage=RequestUsage(input_tokens=80, output_tokens=4)),
        )
    )

    @agent.tool_plain
    def find(order: str) -> dict[str, str]:
        if order == 'x':
            raise ModelRetry('Orders look like A-17.')
        return {'status': 'sent'}

    return agent


def lines_of(result: object) -> list[str]:
    file = io.StringIO()
    result.show(file)  # type: ignore[attr-defined]
    return file.getvalue().splitlines()


def test_calls_stand_with_their_answers() -> None:
    first, *lines = lines_of(shop().run_sync('Where is A-17?'))
    assert first.startswith('2 requests to ')
    assert '1 tool call, 144 tokens' in first
    assert lines == [
        '> Where is A-17?',
        '~ An order.',
        '  find({"order":"A-17"})',
        "    = {'status': 'sent'}",
        '  find({"order":"x"})',
        '    = retry: Orders look like A-17.',
        '< It was sent.',
    ]


def test_an_output_that_is_not_the_last_text_is_shown() -> None:
    class Place(BaseModel):
        city: str

    result = Agent(TestModel(custom_output_args={'city': 'Oslo'}), output_type=Place).run_sync('Where?')
    assert lines_of(result)[-1] == "output: Place(city='Oslo')"


def test_calls_that_wait_are_shown() -> None:
    agent = Agent(TestModel(), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def refund(order: str) -> str:
        return 'done'

    assert lines_of(agent.run_sync('x'))[-1].startswith('? refund({"order":"a"}) waits: ')


def test_only_the_messages_of_this_run_are_shown() -> None:
    agent = Agent(TestModel(custom_output_text='Hello.'))
    first = agent.run_sync('one')
    assert lines_of(agent.run_sync('two', message_history=first.all_messages()))[1:] == ['> two', '< Hello.']


def test_files_are_shown_by_their_size_and_texts_from_outside_send_no_commands_to_a_terminal() -> None:
    agent = Agent(TestModel(custom_output_text='red \x1b[31mtext\x07'))
    result = agent.run_sync(['Look:', BinaryContent(b'12345', media_type='image/png')])
    assert lines_of(result)[1:] == [
        '> Look: <image/png, 5 bytes>',
        '< red \N{REPLACEMENT CHARACTER}[31mtext\N{REPLACEMENT CHARACTER}',
    ]


def test_a_very_long_text_is_cut() -> None:
    assert len(lines_of(Agent(TestModel(custom_output_text='x' * 100_000)).run_sync('y' * 100_000))[-1]) < 120


def test_a_terminal_gets_colours_and_no_markup() -> None:
    pytest.importorskip('rich')
    file = Terminal()
    Agent(TestModel(custom_output_text='[red]not markup[/red]')).run_sync('x').show(file)
    assert '[red]not markup[/red]' in file.getvalue()
    assert '\x1b[1m> x' in file.getvalue()


def test_what_a_run_cost() -> None:
    pytest.importorskip('genai_prices')

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        parts = [ToolCallPart('find')] if len(messages) == 1 else [TextPart('x')]
        return ModelResponse(parts, usage=RequestUsage(input_tokens=1000, output_tokens=100), model_name='gpt-4o')

    agent = Agent(FunctionModel(answer, model_name='gpt-4o'))
    agent.tool_plain(lambda: 'x', name='find')
    result = agent.run_sync('x')
    each = [message.cost() for message in result.all_messages() if isinstance(message, ModelResponse)]
    cost = result.cost()
    assert (cost.total, cost.input, cost.output) == (
        sum(price.total_price for price in each),
        sum(price.input_price for price in each),
        sum(price.output_price for price in each),
    )
    assert cost.total > Decimal(0)
    assert str(cost) == f'${cost.total:.6f}'
    assert cost.saved == 0


def test_what_the_cache_of_the_provider_saved() -> None:
    pytest.importorskip('genai_prices')

    def cost(**cached: int) -> Cost:
        usage = RequestUsage(input_tokens=10_000, output_tokens=100, **cached)
        answer = ModelResponse([TextPart('x')], usage=usage)
        return Agent(FunctionModel(lambda messages, info: answer, model_name='claude-sonnet-4-5')).run_sync('x').cost()

    whole = cost()
    for cached in ({'cache_read_tokens': 8_000}, {'cache_write_tokens': 9_000}):
        assert cost(**cached).saved == whole.total - cost(**cached).total != 0
    assert cost(cache_read_tokens=8_000).saved > 0 > cost(cache_write_tokens=9_000).saved


@pytest.mark.parametrize(
    ('model_name', 'provider_name', 'missing', 'remedy'),
    [
        ('test-1', None, "'test-1' name no provider", 'set `provider_name`'),
        (
            'gpt-99',
            'openai',
            "no price for the model 'gpt-99' of the provider 'openai'",
            'pip install --upgrade genai-prices',
        ),
    ],
)
def test_what_a_cost_lacks_is_said(model_name: str, provider_name: str | None, missing: str, remedy: str) -> None:
    pytest.importorskip('genai_prices')
    response = ModelResponse([TextPart('x')], model_name=model_name, provider_name=provider_name)
    result = Agent(FunctionModel(lambda messages, info: response, model_name=model_name)).run_sync('x')
    with pytest.raises(LookupError, match=f'{re.escape(missing)}.*{re.escape(remedy)}.*`result.usage` has the tokens'):
        result.cost()


def test_ipython_shows_the_tree_and_a_notebook_the_steps() -> None:
    result = Agent(TestModel(custom_output_text='Oslo')).run_sync('The capital of Norway?')
    bundle = result._repr_mimebundle_()
    assert list(bundle) == ['text/plain', 'text/html']
    output = io.StringIO()
    result.show(output)
    assert bundle['text/plain'] + '\n' == output.getvalue()
    assert bundle['text/html'] == result._repr_html_()
    assert list(result._repr_mimebundle_(include={'text/html', 'image/png'})) == ['text/html']
    assert list(result._repr_mimebundle_(exclude={'text/html'})) == ['text/plain']


@pytest.mark.parametrize(
    ('model', 'output_type', 'last'),
    [
        (
            scripted(*[ModelResponse([ToolCallPart('nope')])] * 2),
            str,
            "Tool 'nope' was given up after 2 attempts: Unknown tool name",
        ),
        (scripted(*[ModelResponse([TextPart('x')])] * 2), int, 'The output was given up after 2 attempts: '),
        (scripted(*[ModelResponse([ToolCallPart('final_result', {})])] * 2), int, 'attempts: response: Field required'),
    ],
)
def test_the_last_line_of_an_error_says_the_cause(model: FunctionModel, output_type: type, last: str) -> None:
    with pytest.raises(UnexpectedModelBehavior) as error:
        Agent(model, output_type=output_type).run_sync('x')
    assert last in error.value.__notes__[-1]
    assert 'given up' not in str(error.value)  # a message that programs compare


def test_reprs_are_short_and_say_what_was_set() -> None:
    agent = shop()
    toolset = agent.toolsets[0]
    assert isinstance(toolset, FunctionToolset)
    assert repr(toolset).endswith('([find])')
    assert repr(toolset.tools['find']) == 'Tool(find)'

    def note(text: str) -> None:
        """Keep a note."""

    tool = Tool(note, name='keep', requires_approval=True)
    assert repr(tool) == "Tool(note, name='keep', requires_approval=True)"
    many = FunctionToolset([Tool(note, name=f'n{number}') for number in range(1000)], id='notes')
    assert repr(many).endswith("n18, n19, ...], id='notes')")
