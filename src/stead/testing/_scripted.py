"""`ScriptedModel`: a model that follows a script, and fails when the conversation leaves it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Union, cast

from typing_extensions import Self, TypeAlias

from .._kit.short import short_repr
from .._show.nodes import Node
from .._show.results import messages_tree
from ..exceptions import UserError
from ..messages import (
    BaseToolReturnPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
    is_retry,
    retry_text,
)
from ..models.function import AgentInfo, FunctionModel
from ..profiles import ModelProfileSpec
from ..usage import RequestUsage

Check: TypeAlias = Callable[[Sequence[ModelMessage], AgentInfo], Union[str, None]]
"""Looks at a request, and returns what is wrong with it, or `None`."""


class ScriptError(AssertionError):
    """A conversation did not go as its script says; the message shows the conversation so far."""

    __module__ = 'stead.testing'  # where it is imported from, as a traceback shows it


@dataclass(frozen=True)
class ScriptStep:
    """One response of a script, and what must be true of the request that it answers."""

    parts: tuple[ModelResponsePart, ...] = ()
    """The parts of the response."""
    checks: tuple[Check, ...] = ()
    """What must be true of the request."""
    usage: RequestUsage = field(default_factory=RequestUsage)
    """The usage of the response; an estimate if it has no values."""

    def then(self, *steps: ScriptStep) -> ScriptStep:
        """Return a step that gives these in one response, if the request is as expected."""
        merged = joined(steps)
        return ScriptStep((*self.parts, *merged.parts), (*self.checks, *merged.checks), merged.usage)

    def __and__(self, other: ScriptStep) -> ScriptStep:
        return joined((self, other))


def joined(steps: Sequence[ScriptStep]) -> ScriptStep:
    """Return steps as one response."""
    usage = RequestUsage()
    for step in steps:
        usage.incr(step.usage)
    return ScriptStep(
        tuple(part for step in steps for part in step.parts),
        tuple(check for step in steps for check in step.checks),
        usage,
    )


def say(text: str) -> ScriptStep:
    """Return a response with a text."""
    return ScriptStep((TextPart(text),))


def think(text: str) -> ScriptStep:
    """Return a response with a thought, for `&` with another."""
    return ScriptStep((ThinkingPart(text),))


def call(tool_name: str, /, **args: object) -> ScriptStep:
    """Return a response that calls a tool; several in one response are joined with `&`, or stand in a list of the script."""
    return ScriptStep((ToolCallPart(tool_name, args),))


def expect(*checks: Check) -> ScriptStep:
    """Return a step that expects something of its request; what it answers follows with `.then(...)`."""
    return ScriptStep(checks=checks)


def tool_returned(tool_name: str, value: object = ...) -> Check:
    """Return a check that the request has the result of a tool: this value, or text that contains it."""

    def check(messages: Sequence[ModelMessage], info: AgentInfo) -> str | None:
        found = [
            part for part in messages[-1].parts if isinstance(part, BaseToolReturnPart) and part.tool_name == tool_name
        ]
        if not found:
            return f'a result of the tool {tool_name!r}'
        if value is ... or any(_matches(part.content, value) for part in found):
            return None
        return f'the result {short_repr(value)} of the tool {tool_name!r}, not {short_repr(found[-1].content)}'

    return check


def tool_retried(tool_name: str, text: str = '') -> Check:
    """Return a check that the request tells the model to call a tool again, with a text that contains this one."""

    def check(messages: Sequence[ModelMessage], info: AgentInfo) -> str | None:
        found = [part for part in messages[-1].parts if is_retry(part) and part.tool_name == tool_name]
        if any(text in retry_text(part) for part in found):
            return None
        return f'a retry of the tool {tool_name!r}' + (f' with {text!r}' if text else '')

    return check


def prompted(text: str) -> Check:
    """Return a check that the request has a prompt of the user that contains a text."""

    def check(messages: Sequence[ModelMessage], info: AgentInfo) -> str | None:
        prompts = [part.content for part in messages[-1].parts if isinstance(part, UserPromptPart)]
        return None if any(text in str(prompt) for prompt in prompts) else f'a prompt with {text!r}'

    return check


def offered(*tool_names: str) -> Check:
    """Return a check that the model is offered these tools."""

    def check(messages: Sequence[ModelMessage], info: AgentInfo) -> str | None:
        there = {tool.name for tool in info.function_tools}
        gone = [name for name in tool_names if name not in there]
        return f'the tools {gone}, not only {sorted(there)}' if gone else None

    return check


def _matches(content: object, value: object) -> bool:
    return content == value or (isinstance(content, str) and isinstance(value, str) and value in content)


class ScriptedModel(FunctionModel):
    """A model that answers each request with the next step of a script.

    A request after the last step fails, and so does a step whose `expect` is not met. As a context manager, it also fails at its
    end if a step was not used; `check_used` says so at any time. It streams, too: texts and arguments come in pieces.
    """

    def __init__(
        self,
        script: Sequence[ScriptStep | str | Sequence[ScriptStep]],
        *,
        model_name: str = 'scripted',
        profile: ModelProfileSpec | None = None,
    ) -> None:
        """Build a model.

        Args:
            script: The responses in their order: steps, texts for `say`, and lists of steps that are one response.
            model_name: The name of the model.
            profile: What the model can do; by default as a `FunctionModel`.
        """
        self.script: list[ScriptStep] = _steps_of(script)
        self.used: int = 0
        """How many steps were used."""
        self.requests: list[list[ModelMessage]] = []
        """The messages of each request."""
        super().__init__(self._answer, model_name=model_name, profile=profile)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.check_used()

    def check_used(self) -> None:
        """Check that all steps were used.

        Raises:
            ScriptError: The conversation ended before the script.
        """
        if left := self.script[self.used :]:
            self._fail(
                f'{len(left)} of {len(self.script)} steps were not used; the next one is {_shown(left[0])}', None
            )

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.requests.append([*messages])
        if self.used >= len(self.script):
            self._fail(f'there was a request after all {len(self.script)} steps', messages)
        step = self.script[self.used]
        for check in step.checks:
            if (wrong := check(messages, info)) is not None:
                self._fail(f'step {self.used} expects {wrong}', messages)
        self.used += 1
        parts = [ToolCallPart(one.tool_name, one.args) if isinstance(one, ToolCallPart) else one for one in step.parts]
        usage = RequestUsage()
        usage.incr(step.usage)
        return ModelResponse(parts, usage=usage)

    def _cuts_responses(self) -> bool:
        return True

    def _fail(self, problem: str, messages: Sequence[ModelMessage] | None) -> None:
        so_far = messages if messages is not None else self.requests[-1] if self.requests else []
        raise ScriptError(f'The script did not go as written: {problem}.\n{conversation_text(so_far)}')


def _steps_of(script: object) -> list[ScriptStep]:
    if not isinstance(script, (list, tuple)):
        raise UserError(f'The script of a `ScriptedModel` is a list of responses, not {short_repr(script)}.')
    steps: list[ScriptStep] = []
    for number, response in enumerate(cast('Sequence[object]', script)):
        parts = cast('Sequence[object]', response) if isinstance(response, (list, tuple)) else [response]
        found = [say(part) if isinstance(part, str) else part for part in parts]
        own = [part for part in found if isinstance(part, ScriptStep)]
        if len(own) < len(found):
            raise UserError(
                f'Response {number} of the script is {short_repr(response)}. Use text, `say`, `think`, `call` or `expect`, or a '
                'list of these.'
            )
        steps.append(joined(own))
    return steps


def conversation_text(messages: Sequence[ModelMessage]) -> str:
    """Return a conversation as a tree of text."""
    if not messages:
        return 'There was no request.'

    def lines(node: Node, depth: int) -> list[str]:
        own = [f'{"  " * depth}{node.text}']
        return own + [line for child in node.children for line in lines(child, depth + 1)]

    tree = messages_tree(messages)
    last = messages[-1]
    if isinstance(last, ModelRequest) and len(tree.children) > 60:
        tree.children[30:-30] = [Node('note', f'… {len(tree.children) - 60} more …')]
    return '\n'.join(lines(tree, 0))


def _shown(step: ScriptStep) -> str:
    parts = [
        f'call({part.tool_name!r})'
        if isinstance(part, ToolCallPart)
        else f'say({short_repr(getattr(part, "content", ""))})'
        for part in step.parts
    ]
    return ' & '.join(parts) or 'an empty response'
