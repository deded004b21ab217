"""`assert_run`: assertions about a run, in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from .._kit.short import short_repr
from .._show.costs import cost_of
from ..journal import RecordedRun
from ..messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from ..tools import DeferredToolRequests
from ._scripted import conversation_text


def assert_run(result: object) -> RunAssertions:
    """Return assertions about a run.

    Args:
        result: Its result, its messages, an error that ended it, `await journal.state(run_id)`, or a cassette.

    Raises:
        TypeError: It is none of these.
    """
    return RunAssertions(result)


class RunAssertions:
    """Assertions about a run. Each returns the same object, or raises an `AssertionError` that shows the conversation."""

    def __init__(self, result: object) -> None:
        self._output: object = getattr(result, 'output', None)
        self._asked: Sequence[str] = result.questions.ids if isinstance(result, RecordedRun) else ()
        """The ids of the calls that wait, of a run in a journal."""
        found: Any = result
        if not isinstance(result, Sequence):
            found = getattr(result, 'all_messages', None) or getattr(result, 'messages', None)
            found = found() if callable(found) else found
        if not isinstance(found, Sequence) or isinstance(found, (str, bytes)):
            raise TypeError(
                f'`assert_run` takes the result of a run, its messages or its error, not {short_repr(result)}.'
            )
        self._messages: list[ModelMessage] = [*cast('Sequence[ModelMessage]', found)]
        self._calls = [part for m in self._messages for part in m.parts if isinstance(part, ToolCallPart)]
        self._at: int | None = None
        """Where the call is that the assertion before was about."""

    def _check(self, holds: object, expected: str) -> RunAssertions:
        if not holds:
            raise AssertionError(f'Expected {expected}.\n{conversation_text(self._messages)}')
        return self

    def called(self, tool_name: str, /, **args: object) -> RunAssertions:
        """Assert that a tool was called with at least these arguments; `before` and `after` are about this call."""
        self._at = next((n for n, one in enumerate(self._calls) if _is_call(one, tool_name, args)), None)
        return self._check(self._at is not None, f'a call of {_call_text(tool_name, args)}')

    def before(self, tool_name: str, /, **args: object) -> RunAssertions:
        """Assert that another tool was called, and only after the call that `called` found."""
        first = next((n for n, one in enumerate(self._calls) if _is_call(one, tool_name, args)), None)
        return self._check(
            first is not None and self._place('before') < first,
            f'{self._calls[self._place("before")].tool_name!r} before the first call of {_call_text(tool_name, args)}',
        )

    def after(self, tool_name: str, /, **args: object) -> RunAssertions:
        """Assert that another tool was called before the call that `called` found."""
        place = self._place('after')
        return self._check(
            any(_is_call(one, tool_name, args) for one in self._calls[:place]),
            f'{self._calls[place].tool_name!r} after a call of {_call_text(tool_name, args)}',
        )

    def _place(self, name: str) -> int:
        if self._at is None:
            raise TypeError(f'`.{name}(...)` follows `.called(...)`: it is about the call that was found.')
        return self._at

    def never_called(self, tool_name: str, /, **args: object) -> RunAssertions:
        """Assert that a tool was not called, or not with these arguments."""
        return self._check(
            not any(_is_call(one, tool_name, args) for one in self._calls), f'no call of {_call_text(tool_name, args)}'
        )

    def called_times(self, tool_name: str, times: int) -> RunAssertions:
        """Assert how many times a tool was called."""
        count = sum(one.tool_name == tool_name for one in self._calls)
        return self._check(count == times, f'{times} calls of {tool_name!r}, not {count}')

    def returned(self, tool_name: str, value: object) -> RunAssertions:
        """Assert that a tool returned a value."""
        found = [
            part.content
            for m in self._messages
            for part in m.parts
            if isinstance(part, ToolReturnPart) and part.tool_name == tool_name
        ]
        return self._check(value in found, f'{tool_name!r} to return {short_repr(value)}, not {short_repr(found)}')

    def asked_approval(self, tool_name: str, /, **args: object) -> RunAssertions:
        """Assert that the run ended with a question about a call."""
        asked = self._output.approvals if isinstance(self._output, DeferredToolRequests) else []
        asked = [*asked, *(one for one in self._calls if one.tool_call_id in self._asked)]
        return self._check(
            any(_is_call(one, tool_name, args) for one in asked), f'a question about {_call_text(tool_name, args)}'
        )

    def wrote(self, text: str) -> RunAssertions:
        """Assert that the model wrote a text that contains this one."""
        texts = [part.content for m in self._messages for part in m.parts if isinstance(part, TextPart)]
        return self._check(any(text in one for one in texts), f'the model to say {text!r}')

    def output(self, value: object) -> RunAssertions:
        """Assert what the run returned."""
        return self._check(self._output == value, f'the output {short_repr(value)}, not {short_repr(self._output)}')

    def requests_below(self, number: int) -> RunAssertions:
        """Assert that the model was asked fewer times than that."""
        count = sum(isinstance(message, ModelResponse) for message in self._messages)
        return self._check(count < number, f'fewer than {number} requests, not {count}')

    def tokens_below(self, number: int) -> RunAssertions:
        """Assert that fewer tokens than that were used."""
        used = sum(m.usage.total_tokens for m in self._messages if isinstance(m, ModelResponse))
        return self._check(used < number, f'fewer than {number} tokens, not {used}')

    def cost_below(self, dollars: float) -> RunAssertions:
        """Assert that the requests cost less than that, by the package genai-prices.

        Raises:
            AssertionError: They cost more.
            ImportError: The package genai-prices is not installed.
            LookupError: It does not know the price of a response.
        """
        cost = cost_of(self._messages)
        return self._check(float(cost.total) < dollars, f'a cost below ${dollars}, not {cost}')


def _is_call(part: ToolCallPart, tool_name: str, args: Mapping[str, object]) -> bool:
    if part.tool_name != tool_name:
        return False
    sent = part.args_as_dict()
    return all(name in sent and sent[name] == value for name, value in args.items())


def _call_text(tool_name: str, args: Mapping[str, object]) -> str:
    return f'{tool_name}({", ".join(f"{name}={short_repr(value)}" for name, value in args.items())})'
