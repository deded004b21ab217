"""The mistakes of a first hour, and what stead says: what happened, to what, and what to do.

Numbers are those of the review that these come from. What Python itself says is here, too, where nothing can be added to it.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import stead
from stead import Agent, RunContext, Tool
from stead.capabilities import Thinking
from stead.messages import ModelResponse, TextPart, ToolCallPart
from stead.models.function import FunctionModel
from stead.models.test import TestModel
from stead.toolsets import FunctionToolset
from stead.usage import UsageLimits

agent = Agent('test')
new: Any = Agent
"""The constructor, to type checkers one that takes anything."""
run: Any = agent.run_sync

MISTAKES: dict[str, tuple[Callable[[], object], tuple[str, ...]]] = {}
"""What is done, and texts of what is then printed: the error with its notes, and warnings."""


def says(*texts: str) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Register a mistake, and what is said about it."""

    def register(attempt: Callable[[], object]) -> Callable[[], object]:
        MISTAKES[attempt.__name__] = attempt, texts
        return attempt

    return register


@dataclass
class Deps:
    user: str


class Order(BaseModel):
    number: int


class Unknown:
    pass


def find(number: int) -> str:
    """Find an order."""
    return f'order {number}'


def calling(name: str, args: str = '{}') -> FunctionModel:
    """Return a model that always calls one tool."""
    return FunctionModel(lambda messages, info: ModelResponse([ToolCallPart(name, args)]))


@says('There is no API key for OpenAI', '`OPENAI_API_KEY`', '`OpenAIProvider(api_key=...)`')
def m01_no_key() -> object:
    pytest.importorskip('openai')
    return Agent('openai:gpt-5').run_sync('x')


@says("The provider 'anthropic' needs the package 'anthropic'", '`pip install "stead[anthropic]"`')
def m02_package_missing() -> object:
    with pytest.MonkeyPatch.context() as patch:
        for name in [
            name for name in sys.modules if name.startswith(('stead.models.anthropic', 'stead.providers.anth'))
        ]:
            patch.delitem(sys.modules, name)
        patch.setitem(sys.modules, 'anthropic', None)
        return Agent('anthropic:claude-sonnet-4-5')


@says("Unknown provider: 'opnai'", "Did you mean 'openai:gpt-5'?")
def m03_provider_misspelt() -> object:
    return Agent('opnai:gpt-5')


@says("use 'openai:gpt-5-turbo' rather than 'gpt-5-turbo'")
def m04_no_provider() -> object:
    return Agent('gpt-5-turbo')


@says("Unknown model: 'tset'. Did you mean 'test'?")
def m04b_model_misspelt() -> object:
    return Agent('tset')


@says("Unknown model: 'openai'. Did you mean 'openai:")
def m04c_provider_alone() -> object:
    return Agent('openai')


@says("`Agent` has no argument 'instruction'. Did you mean 'instructions'?")
def m05_argument_misspelt() -> object:
    return new('test', instruction='x')


@says("Runs have no option 'dep'. Did you mean 'deps'?", 'There are: budget, cancellation_token, capabilities, ')
def m06_option_misspelt() -> object:
    return run('x', dep=3)


@says("Runs have no option 'dependencies'. Did you mean 'deps'?")
def m06b_option_of_another_name() -> object:
    return run('x', dependencies=3)


@says("`Agent` has no argument 'result_type'. Did you mean 'output_type'?")
def m07_old_argument() -> object:
    return new('test', result_type=int)


@says("`Agent` has no argument 'result_retries'. Did you mean 'retries'?")
def m07b_old_argument() -> object:
    return new('test', result_retries=2)


@says("'AgentRunResult' object has no attribute 'data'. Here it is `result.output`.")
def m08_old_attribute() -> object:
    return run('x').data


@says("no attribute 'messages'. Here it is `result.all_messages()`.")
def m08b_attribute_of_others() -> object:
    return run('x').messages


@says("'AgentRunResult' object has no attribute 'foo'")
def m08c_no_attribute() -> object:
    return run('x').foo


@says("'StreamedRunResult' object has no attribute 'get_data'. Here it is `await stream.get_output()`.")
def m08d_old_method() -> object:
    async def main() -> object:
        async with agent.run_stream('x') as stream:
            old: Any = stream
            return await old.get_data()

    return asyncio.run(main())


@says("Tool 'find' raised KeyError on attempt 1 of 2", 'Raise `ModelRetry`', '`message_history=error.messages`')
def m09_tool_raises() -> object:
    def find(number: int) -> str:
        return {}['order']

    return Agent('test', tools=[find]).run_sync('x')


@says(
    "of 'find'",
    "its first parameter 'number' is annotated as `int`",
    'Annotate it as `RunContext[...]`',
    '`tool_plain`',
)
def m10_no_context() -> object:
    return Agent('test').tool(find)  # type: ignore[arg-type]


@says(
    "parameter 'ctx' is for a run context (`RunContext`). Register the function with `tool` rather than `tool_plain`."
)
def m11_context_too_many() -> object:
    def find(ctx: RunContext, number: int) -> str:
        return 'x'

    return Agent('test').tool_plain(find)


@says(
    "TypeError: object AgentRunResult can't be used in 'await' expression"
    if sys.version_info < (3, 14)
    else "TypeError: 'AgentRunResult' object can't be awaited"
)
def m12_await_of_sync() -> object:
    async def main() -> object:
        return await run('x')

    return asyncio.run(main())


@says("AttributeError: 'coroutine' object has no attribute 'output'")
def m13_await_forgotten() -> object:
    result: Any = agent.run('x')
    try:
        return result.output
    finally:
        result.close()


@says()
def m14_sync_in_a_running_loop() -> object:
    async def main() -> object:
        return agent.run_sync('x').output

    return asyncio.run(main())


@says("cannot be of type 'Nope'", 'Use a type that pydantic can build from JSON')
def m15_type_by_a_wrong_name() -> object:
    return new('test', output_type='Nope').run_sync('x')


@says(
    'Exceeded maximum output retries (1)',
    'The output was given up after 2 attempts: number: Input should be a valid integer',
)
def m16_output_never_valid() -> object:
    return Agent(calling('final_result', '{"number": "a"}'), output_type=Order).run_sync('x')


@says('The output was given up after 2 attempts: ', 'Invalid JSON')
def m16b_text_where_data_is_wanted() -> object:
    model = FunctionModel(lambda messages, info: ModelResponse([TextPart('hello')]))
    return Agent(model, output_type=Order).run_sync('x')


@says("Tool 'nope' was given up after 2 attempts: Unknown tool name: 'nope'. Available tools: 'find'")
def m17_model_calls_an_unknown_tool() -> object:
    return Agent(calling('nope'), tools=[find]).run_sync('x')


def user(ctx: RunContext[Deps]) -> str:
    """Say who asks."""
    return ctx.deps.user


@says("Tool 'user' raised", 'The `deps` of the run are of type int, but the agent has `deps_type=Deps`.')
def m18_dependencies_of_another_type() -> object:
    wrong: Any = 3
    return Agent('test', deps_type=Deps, tools=[user]).run_sync('x', deps=wrong)


@says("Tool 'user' raised", 'The run has no `deps`, but the agent has `deps_type=Deps`: pass `deps=...` to it.')
def m19_dependencies_forgotten() -> object:
    forgetful: Any = Agent('test', deps_type=Deps, tools=[user])
    return forgetful.run_sync('x')


@says("There already is a tool named 'find'", 'Give one of them another `name`.')
def m20_two_tools_of_a_name() -> object:
    return Agent('test', tools=[find, find])


def of_unknown(thing: Unknown) -> str:
    return 'x'


@says("pydantic cannot validate parameter 'thing'", 'test_mistakes.Unknown', '`Tool.from_schema`')
def m21_parameter_without_schema() -> object:
    return Agent('test', tools=[of_unknown])


@says('Message 0 of `message_history` is a `dict`', '`ModelMessagesTypeAdapter`')
def m22_history_of_dicts() -> object:
    return run('x', message_history=[{'role': 'user', 'content': 'x'}])


@says('This cannot be looped over with `async for`.', 'Use `async with agent.run_stream(...) as stream:`')
def m23_loop_over_a_stream() -> object:
    async def main() -> None:
        stream: Any = agent.run_stream('x')
        async for _ in stream:
            pass

    return asyncio.run(main())


@says('This cannot be awaited.', 'Use `async with agent.run_stream(...) as stream:`')
def m23b_await_of_a_stream() -> object:
    async def main() -> object:
        stream: Any = agent.run_stream('x')
        return await stream

    return asyncio.run(main())


@says('This cannot be looped over with `async for`.', 'Use `async with agent.iter(...) as run:`')
def m23c_loop_over_a_run() -> object:
    async def main() -> None:
        steps: Any = agent.iter('x')
        async for _ in steps:
            pass

    return asyncio.run(main())


@says('`Agent(tools=...)` must be a sequence of functions', 'Put it in a list.')
def m24_tool_without_list() -> object:
    return new('test', tools=find)


@says('There is no model: pass `model` to `Agent`, to the run, or to `agent.override`.')
def m25_no_model() -> object:
    return Agent().run_sync('x')


@says("`Agent(model_settings=...)` has 'temprature', which no model knows. Did you mean 'temperature'?")
def m26_setting_misspelt() -> object:
    return new('test', model_settings={'temprature': 0})


@says("`agent.run(model_settings=...)` has 'temprature'", "Did you mean 'temperature'?")
def m26b_setting_misspelt() -> object:
    return run('x', model_settings={'temprature': 0})


@says("`Agent` has no argument 'temperature'. Did you mean `model_settings={'temperature': ...}`?")
def m26c_setting_as_argument() -> object:
    return new('test', temperature=0)


@says("`UsageLimits` has no argument 'requests_limit'. Did you mean 'request_limit'?")
def m27_limit_misspelt() -> object:
    limits: Any = UsageLimits
    return limits(requests_limit=3)


@says(
    'The next request would exceed the request_limit of 2',
    '`UsageLimits(request_limit=...)`, passed as `usage_limits`',
    '`message_history=error.messages`',
)
def m27b_limit_reached() -> object:
    limits = UsageLimits(request_limit=2)
    return Agent(calling('find', '{"number": 1}'), tools=[find]).run_sync('x', usage_limits=limits)


@says('`agent.run(user_prompt=...)` must be text, or a sequence of texts and content', 'not int: 123')
def m28_prompt_is_a_number() -> object:
    return run(123)


@says("Output validator 'check' returns nothing, so the output is `None`. Return the output in it.")
def m29_validator_without_return() -> object:
    agent: Any = Agent('test')

    @agent.output_validator
    def check(output: str) -> None:
        assert output

    assert agent.run_sync('x').output is None
    return agent


@says("Output validator 'check' raised ValueError", 'Raise `ModelRetry` there')
def m30_validator_raises() -> object:
    agent = Agent('test')

    @agent.output_validator
    def check(output: str) -> str:
        raise ValueError('no')

    return agent.run_sync('x')


@says("module 'stead' has no attribute 'Agnet'. Did you mean 'Agent'?")
def m31_name_misspelt() -> object:
    return stead.Agnet  # type: ignore[attr-defined]


@says("cannot import name 'Agnet' from 'stead'", "). Did you mean 'Agent'?")
def m31_import_misspelt() -> object:
    from stead import Agnet  # type: ignore[attr-defined]

    return Agnet


@says("Tools ['find'] wait for an approval", 'Add `DeferredToolRequests` to the `output_type`')
def m32_approval_without_output() -> object:
    return Agent('test', tools=[Tool(find, requires_approval=True)]).run_sync('x')


def toolset_of(ctx: RunContext[None]) -> str:
    return 'x'


@says("The toolset function 'toolset_of' returned str", 'put functions into a `FunctionToolset`')
def m33_function_as_toolset() -> object:
    return new('test', toolsets=[toolset_of]).run_sync('x')


@says('A capability must be an `AbstractCapability`', 'Thinking', 'Did you forget to call it?')
def m34_class_as_capability() -> object:
    return new('test', capabilities=[Thinking])


@says("Tool 'slow' was given up after 2 attempts: Timed out after 0.001 seconds.")
def m35_tool_too_slow() -> object:
    async def slow() -> None:
        await asyncio.Event().wait()

    return Agent('test', tools=[Tool(slow, timeout=0.001)]).run_sync('x')


@says('`agent.run(usage_limits=...)` must be a `UsageLimits`, not dict', 'Such as `UsageLimits(request_limit=5)`.')
def m36_limits_as_dict() -> object:
    return run('x', usage_limits={'request_limit': 3})


@says('`agent.run(message_history=...)`', 'not AgentRunResult', 'Pass `result.all_messages()`')
def m37_result_as_history() -> object:
    return run('x', message_history=run('x'))


@says('not bytes', '`ModelMessagesTypeAdapter.validate_json(...)`')
def m38_json_as_history() -> object:
    return run('x', message_history=run('x').all_messages_json())


@says(
    '`Agent(model=...)` must be a `Model` or its name',
    ', not the class TestModel. Pass an instance, such as `TestModel()`.',
)
def m39_class_as_model() -> object:
    return new(TestModel)


@says(
    'A tool must be a function or another callable, not FunctionToolset([])', 'Toolsets are passed as `toolsets=[...]`.'
)
def m40_toolset_as_tool() -> object:
    return new('test', tools=[FunctionToolset()])


@says('A tool must be a function or another callable, not Agent(', '`(await other.run(...)).output`')
def m41_agent_as_tool() -> object:
    return new('test', tools=[agent])


@says('not PosixPath' if sys.platform != 'win32' else 'not WindowsPath', '(item 1)', '`BinaryContent.from_path(path)`')
def m42_path_in_a_prompt() -> object:
    return run(['x', Path('a.png')])


@says('not bytes', '(item 1)', '`BinaryContent(data, media_type=')
def m42b_bytes_in_a_prompt() -> object:
    return run(['x', b'1'])


@says("Runs have no option 'request_limit'. Did you mean `usage_limits=UsageLimits(request_limit=...)`?")
def m43b_limit_as_option() -> object:
    return run('x', request_limit=3)


@says("tool 'find' takes no argument 'retires'. Did you mean 'retries'?")
def m43c_option_of_a_tool() -> object:
    tool: Any = agent.tool_plain
    return tool(retires=2)(find)


@says("tool 'find' takes no argument 'retires'. Did you mean 'max_retries'?")
def m43d_argument_of_a_tool() -> object:
    make: Any = Tool
    return make(find, retires=2)


@says("capabilities[0]: there is no capability 'Thinkin'. Did you mean 'Thinking'?")
def m43e_capability_of_a_spec() -> object:
    return Agent.from_spec({'model': 'test', 'capabilities': ['Thinkin']})


def printed(attempt: Callable[[], object]) -> str:
    """Return the last lines that a program prints that does this: error and notes, and warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        try:
            attempt()
        except Exception as error:
            lines = [f'{type(error).__name__}: {error}', *getattr(error, '__notes__', ())]
        else:
            lines = []
    return '\n'.join([*lines, *(str(warning.message) for warning in caught)])


@pytest.mark.parametrize('mistake', MISTAKES)
def test_what_is_wrong_and_the_remedy_are_named(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('OPENAI_API_KEY', raising=False)
    attempt, texts = MISTAKES[mistake]
    message = printed(attempt)
    missing = [text for text in texts if text not in message]
    assert not missing, message
    assert texts or not message, message


def test_all_43_are_played() -> None:
    assert {int(name[1:3]) for name in MISTAKES} == set(range(1, 44))


def test_a_forward_reference_is_a_type() -> None:
    assert new('test', output_type='int').run_sync('x').output == 0


@pytest.mark.skipif(sys.version_info < (3, 11), reason='Python prints notes since 3.11')
@pytest.mark.parametrize('mistake', ['m16_output_never_valid', 'm17_model_calls_an_unknown_tool', 'm35_tool_too_slow'])
def test_the_last_line_says_the_cause(mistake: str) -> None:
    attempt, texts = MISTAKES[mistake]
    with pytest.raises(Exception) as error:
        attempt()
    assert texts[-1] in traceback.format_exception(error.value)[-1]


def test_what_pydantic_says_of_a_parameter_is_in_the_error_and_not_in_pages_above_it() -> None:
    with pytest.raises(Exception) as error:
        MISTAKES['m21_parameter_without_schema'][0]()
    assert len(''.join(traceback.format_exception(error.value)).splitlines()) < 60


def test_the_warning_about_a_setting_is_at_the_line_of_the_program() -> None:
    with pytest.warns(UserWarning, match='temprature') as caught:
        new('test', model_settings={'temprature': 0})
    assert caught[0].filename == __file__


def test_settings_of_providers_and_of_own_models_are_not_warned_of() -> None:
    run('x', model_settings={'openai_user': 'me', 'house_style': 'calm', 3: 'x'})


def test_a_validator_may_return_none() -> None:
    agent: Any = Agent('test')

    @agent.output_validator
    def check(output: str) -> str | None:
        return output if output == 'never' else None

    assert agent.run_sync('x').output is None


def test_an_error_in_a_tool_of_fitting_dependencies_says_nothing_of_them() -> None:
    def fail(ctx: RunContext[Deps]) -> str:
        raise AttributeError('x')

    with pytest.raises(AttributeError) as error:
        Agent('test', deps_type=Deps, tools=[fail]).run_sync('x', deps=Deps('Mina'))
    assert 'deps' not in ''.join(error.value.__notes__)


@pytest.mark.parametrize('attempt', [m31_name_misspelt, m31_import_misspelt])
def test_a_misspelt_name_is_suggested_once(attempt: Callable[[], object]) -> None:
    with pytest.raises((AttributeError, ImportError)) as error:
        attempt()
    assert ''.join(traceback.format_exception(error.value)).count('Did you mean') == 1  # Python has suggestions, too
    assert not hasattr(stead, 'Agnet')
