"""Calls on record: started calls, calls of tools, calls that wait. `CallUnderWay` is the call that is running here."""

from __future__ import annotations

from collections.abc import Container
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from pydantic_core import from_json
from typing_extensions import TypeAlias

from .._calls.answers import own_kind
from .._contracts.run_state import RecordedOutput
from .._kit.ids import canonical_json
from .._kit.json_types import JsonObject
from ..messages import ToolCallPart
from ..tools import DeferredToolResults, ToolApproved, ToolDenied
from ..usage import RunUsage
from ._encode import as_json


@dataclass(slots=True)
class StartedCall:
    """A call whose tool was started."""

    tool: str
    """The name of the tool."""
    effect: str
    """What the tool may do."""
    at: float
    """When, in seconds since 1970."""


@dataclass(slots=True)
class InnerCall:
    """A call that a tool made itself."""

    tool: str
    """The name of the tool."""
    effect: str
    """What the tool may do."""
    at: float
    """When it was started, in seconds since 1970."""
    is_done: bool = False
    """Whether it returned."""
    result: Any = None
    """The JSON data of what it returned."""
    usage: RunUsage | None = None
    """What runs inside of it used, as far as it counts in the usage of the run."""


CallPlace: TypeAlias = tuple[Any, ...]
"""Where a call stands that a tool makes itself: the id of the call of the model, what the call is and how many such calls its
tool made before, and so on. Older versions stored the number of the call alone."""


@dataclass(slots=True)
class AskedCall:
    """A call that a tool would make itself, and that was asked about."""

    call: ToolCallPart
    """The call, with the id by which it was asked about."""
    needs_approval: bool
    """Whether it waits for an approval; otherwise for a result."""
    metadata: JsonObject | None = None
    """What its tool says of it."""
    decisions: DeferredToolResults | None = None
    """What was decided about it."""
    definition: str | None = None
    """A digest of the definition of its tool, if it is known."""
    is_question: bool = False
    """Whether the result that it waits for is the answer of a person."""

    def is_like(self, call: ToolCallPart) -> bool:
        """Return whether a call has the same tool and arguments."""
        mine, other = (from_json(as_json(one.args_as_dict())) for one in (self.call, call))
        return self.call.tool_name == call.tool_name and mine == other

    @property
    def is_in_doubt(self) -> bool:
        """Whether it was started by a process that died, so that a person has to say what happened to it."""
        return own_kind(self.metadata) == 'reconcile'

    @property
    def is_open(self) -> bool:
        """Whether it waits for the approval that its tool needs."""
        return self.needs_approval and self.decisions is None and not self.is_in_doubt

    def decision_in_doubt(self, call: ToolCallPart) -> object:
        """Return what is to be done about a call in doubt: a `ToolApproved` to run it again, or its result; or `None`."""
        results = self.results_for(call) if self.is_in_doubt else None
        if results is None:
            return None
        decision = results.to_tool_call_results()[call.tool_call_id]
        if isinstance(decision, ToolApproved) and decision.override_args is not None:
            return None  # it can only run again as its tool makes it
        return results.calls.get(call.tool_call_id, decision)

    def results_for(self, call: ToolCallPart) -> DeferredToolResults | None:
        """Return what was decided, as decisions about the call that is to be made now; `None` if nothing was.

        An approval holds for the arguments that were asked about, or for those that it has.
        """
        before, now = self.call.tool_call_id, call.tool_call_id
        decided = self.decisions
        if decided is None or self.call.tool_name != call.tool_name:
            return None
        approval = decided.approvals.get(before, False)
        has_arguments = isinstance(approval, ToolApproved) and approval.override_args is not None
        is_approved = approval is True or isinstance(approval, ToolApproved)
        if is_approved and not has_arguments and not self.is_like(call):
            return None
        return DeferredToolResults(
            **{
                name: {now: entries[before]}
                for name in ('calls', 'approvals', 'metadata', 'answered_by')
                if before in (entries := getattr(decided, name))
            }
        )


@dataclass(slots=True)
class OutputsOnRecord:
    """What is known of the output functions of a response, by the id of the call, or of what stands for text."""

    calling: dict[str, StartedCall] = field(default_factory=lambda: {})
    """Those that were called by a process that died, and of which nothing more is known."""
    returned: dict[str, RecordedOutput] = field(default_factory=lambda: {})
    """What they returned, or what a person says that they did."""
    denied: dict[str, str] = field(default_factory=lambda: {})
    """Those that a person does not want to be called again, and what the model is told."""

    def decide(self, results: DeferredToolResults) -> None:
        """Take decisions about those that are in doubt."""
        decisions = results.to_tool_call_results()
        for call_id in self.calling.keys() & decisions.keys():
            decision, _ = decisions[call_id], self.calling.pop(call_id)
            if isinstance(decision, ToolDenied):
                self.denied[call_id] = decision.message
            elif not isinstance(decision, ToolApproved):
                value: object = getattr(decision, 'return_value', decision)
                self.returned[call_id] = RecordedOutput(from_json(as_json(value)))


@dataclass(slots=True)
class CallsOnRecord:
    """How far tools have come with the calls of the last response."""

    called: dict[str, int] = field(default_factory=lambda: {})
    """In which step a call of the model with an id was started first; of the whole run."""
    started: dict[str, StartedCall] = field(default_factory=lambda: {})
    """Calls whose tools were started, without those that were answered."""
    limited: dict[str, str] = field(default_factory=lambda: {})
    """The tools of calls that were started, and count as calls of a tool with a limit, by call id."""
    inner: dict[CallPlace, InnerCall] = field(default_factory=lambda: {})
    """Calls that tools made themselves."""
    outputs: OutputsOnRecord = field(default_factory=OutputsOnRecord)
    """What is known of the output functions."""

    def clear(self) -> None:
        """Forget the calls of a response, as the next request has their answers."""
        outputs = self.outputs
        for known in (self.started, self.limited, self.inner, outputs.calling, outputs.returned, outputs.denied):
            known.clear()


class CallUnderWay:
    """The call whose tool is running, and how many calls and runs it has started."""

    __slots__ = (
        '_used',
        'around',
        'asked',
        'begun',
        'call_id',
        'calls',
        'counts',
        'depth',
        'numbers',
        'once',
        'outer',
        'recorder',
        'run_id',
        'runs',
        'step',
        'top',
    )

    def __init__(
        self,
        recorder: Any,
        run_id: str,
        call_id: str,
        top: str,
        numbers: tuple[str | int, ...] = (),
        step: int = 0,
        outer: CallUnderWay | None = None,
    ) -> None:
        """Begin with a call.

        Args:
            recorder: The recorder of its run.
            run_id: The run.
            call_id: Its id; that of a call which a tool makes may be another one each time.
            top: The call of the model that it is inside of, or is.
            numbers: Which call of the tool of that it is (see `next`), and which call of that one's tool, and so on; empty for a
                call of the model.
            step: The step of the call of the model, if an earlier one of the run has the same id.
            outer: The call that it is inside of, if a tool makes it.
        """
        self.recorder: Any = recorder
        self.run_id: str = run_id
        self.call_id: str = call_id
        self.top: str = top
        self.numbers: tuple[str | int, ...] = numbers
        self.step: int = step
        self.outer: CallUnderWay | None = outer
        around = call_under_way.get()
        self.around: CallUnderWay | None = around
        """The call that it is inside of, in whichever run, or the same call as another journal of its run knows it."""
        self.depth: int = 1 if around is None else around.depth + 1
        """How many calls it is inside of, also in runs of other agents, and itself."""
        self.once: str | None = None if around is None else around.once
        """The tool that must not run again, if there is one: its own, or one that it is inside of."""
        self.calls: dict[str, int] = {}
        self.runs: dict[str, int] = {}
        self.counts: bool = False
        """Whether its calls and runs are known by their order alone: they must not be stored, or an older version began them."""
        self.begun: dict[str, CallPlace] = {}
        """Where the calls stand that its tool has started, by their ids."""
        self.asked: dict[str, CallPlace] = {}
        """Where the calls stand that its tool would make, and that were asked about."""
        self._used: RunUsage | None = None

    def inside(self, recorder: Any, run_id: str) -> CallUnderWay | None:
        """Return the innermost call of a run as a recorder knows it: this one, or one around it."""
        place: CallUnderWay | None = self
        while place is not None and (place.recorder is not recorder or place.run_id != run_id):
            place = place.around
        return place

    @property
    def used(self) -> RunUsage | None:
        """What runs inside of it have used, as far as they count in the usage of its run; `None` if there are none."""
        return self._used

    @property
    def place(self) -> CallPlace:
        """Where the call stands in its run."""
        return self.top, *self.numbers

    @property
    def key(self) -> str:
        """What the call is known by, wherever its run continues. Ids of runs have no `#`, `@` or `/`; those of calls may."""
        step = f'#{self.step}' if self.step else ''
        within = '@' + '.'.join(map(str, self.numbers)) if self.numbers else ''
        return f'{self.run_id}{step}{within}/{self.top}'

    def note(self, used: RunUsage) -> None:
        """Note what a run inside of it has used."""
        if self._used is None:
            self._used = RunUsage()
        self._used.incr(used)
        if self.outer is not None:
            self.outer.note(used)

    def next(self, call: ToolCallPart, *known: Container[CallPlace]) -> CallPlace:
        """Return where a call of its tool stands: the first one of this tool and these arguments, the second, and so on.

        So the order in which a tool makes its calls may be another one each time, as that of a fan-out is.

        Args:
            call: The call.
            known: The places of calls that are recorded. Those of an earlier process, which had another version or another
                `redact`, may be known in the other way.
        """
        what = what_it_is(call.tool_name, canonical_json(call.args_as_dict()))
        number = self.calls[what] = self.calls.get(what, 0) + 1
        by_order: CallPlace = (*self.place, sum(self.calls.values()))
        by_what: CallPlace = (*self.place, f'{what}-{number}')
        if any(by_what in places for places in known):
            return by_what
        return by_order if self.counts or any(by_order in places for places in known) else by_what

    def next_run(self, agent: str, prompt: bytes) -> tuple[str, str]:
        """Return the key of a run that its tool begins, by what the run is, and the one by the order alone."""
        what = what_it_is(agent, prompt.decode())
        self.runs[what] = self.runs.get(what, 0) + 1
        return f'{self.key}/{what}-{self.runs[what]}', f'{self.key}/{sum(self.runs.values())}'


def what_it_is(name: str, data: str) -> str:
    """Return a short text that is the same for the same tool and arguments, or for the same agent and prompt, only."""
    return sha256(f'{name}\n{data}'.encode('utf-8', 'surrogatepass')).hexdigest()[:12]


call_under_way: ContextVar[CallUnderWay | None] = ContextVar('stead_recorded_call', default=None)


def call_of(recorder: Any) -> CallUnderWay | None:
    """Return the call that is running here, as a recorder knows it, if its run has several journals and this is one of them."""
    first = place = call_under_way.get()
    while place is not None and place.recorder is not recorder:
        around = place.around
        place = (
            around if around is not None and around.call_id == place.call_id and around.run_id == place.run_id else None
        )
    return first if place is None else place
