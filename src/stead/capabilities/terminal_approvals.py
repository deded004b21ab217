"""`TerminalApprovals`: asks the person at the terminal about calls that need approval, while the run waits."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import field
from typing import cast

from typing_extensions import TypeAlias

from .._contracts.capability import AbstractCapability
from .._contracts.run_context import AnyDepsT, RunContext
from .._kit.json_types import JsonObject
from .._kit.keywords import dataclass
from .._kit.shown_arguments import marked, shown_arguments
from ..messages import ToolCallPart, digest_of
from ..tools import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied
from .approval_policy import ApprovalPolicy

ReadLine: TypeAlias = Callable[[str], 'str | None']
"""Shows a question and returns the line that was entered; `None` without a person to answer it."""

_CHOICES = '[y]es, [n]o, [e]dit the arguments'
_ALWAYS = ', [a]lways in this conversation'
_NO_ANSWER = 'Approval was asked for, but there was no answer, so the call was not made.'
_DENIED = 'A person decided against this call.'


def read_line(question: str) -> str | None:
    """Ask at the terminal and return the line that was entered; `None` without a terminal, and at the end of the input.

    This blocks the event loop: a thread that reads would keep the program from ending, and the terminal without echo.
    """
    if not sys.stdin.isatty():
        return None
    try:
        return input(question)
    except EOFError:
        sys.stdout.write('\n')
        return None


@dataclass
class TerminalApprovals(AbstractCapability[AnyDepsT]):
    """Asks the person at the terminal about each call that needs approval, while the run waits.

    A call is allowed, denied with a reason that the model is told, allowed with other arguments, or allowed together with
    all later calls of its tool in the conversation. Anything but a clear yes is a no: without a terminal, or at the end of
    the input, calls are denied. Calls that a rule of `policy` is about are not asked about. Those of agents that run inside of
    a tool are asked about each time: rules are about the tools of the agent itself.

    Not from a spec's dictionary: a terminal belongs to a program.
    """

    policy: ApprovalPolicy[AnyDepsT] = field(default_factory=ApprovalPolicy[AnyDepsT])
    """Lasting decisions; "always" adds to them. Dump and load it to keep them."""
    ask: ReadLine = read_line
    """Shows a question and returns the answer; by default on the standard streams."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """Return `None`: a spec cannot hold a terminal."""
        return None

    async def handle_deferred_tool_calls(
        self, ctx: RunContext[AnyDepsT], *, requests: DeferredToolRequests
    ) -> DeferredToolResults | None:
        """Return decisions about the calls that need approval; calls whose results come from elsewhere are left open."""
        results = DeferredToolResults()
        often = Counter(call.tool_call_id for call in (*requests.calls, *requests.approvals))
        for call in requests.approvals:
            if often[call.tool_call_id] > 1:  # a decision about one would hold for the others
                continue
            # Looked up for each: the rule may be one that "always" has just made.
            rule = self.policy.decide(call, ctx) if ctx.tool_name is None else None
            decision = self._asked(call, ctx) if rule is None else rule.allowed or ToolDenied(rule.message)
            results.approvals[call.tool_call_id] = decision
            results.digests[call.tool_call_id] = digest_of(call)
        return results if results.approvals else None

    def _asked(self, call: ToolCallPart, ctx: RunContext[AnyDepsT]) -> bool | ToolApproved | ToolDenied:
        shown, choices = f'{marked(call.tool_name)} {shown_arguments(call)}', _CHOICES
        if ctx.tool_name is None:
            choices += _ALWAYS
        else:
            shown = f'inside of {marked(ctx.tool_name)}: {shown}'
        problem = ''
        while True:
            answer = self.ask(f'{problem}{shown}\n{choices}? ')
            problem = ''
            if answer is None:
                return ToolDenied(_NO_ANSWER)
            word = answer.strip().lower()
            if word in ('y', 'yes'):
                return True
            if word in ('n', 'no'):
                reason = (self.ask('Why not? (Enter for no reason) ') or '').strip()
                return ToolDenied(f'{_DENIED} The reason: {reason}' if reason else _DENIED)
            if word in ('a', 'always') and ctx.tool_name is None:
                self.policy.allow(call.tool_name, conversation_id=ctx.conversation_id)
                return True
            if word in ('e', 'edit'):
                try:
                    return ToolApproved(override_args=_arguments(self.ask('The arguments, as JSON: ')))
                except ValueError as error:
                    problem = f'{error}\n'


def _arguments(text: str | None) -> JsonObject:
    """Return the arguments that a person entered.

    Raises:
        ValueError: They are not a JSON object.
    """
    try:
        arguments: object = json.loads(text or '')
    except ValueError as error:
        raise ValueError(f'That is not JSON: {error}.') from None
    if not isinstance(arguments, dict):
        raise ValueError('Arguments are a JSON object, such as {"order": "A-17"}.')
    return cast('JsonObject', arguments)
