"""`CallUnderWay`: the call whose tool is running here, to which what the tool does belongs."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from ..usage import RunUsage
from ._fold import CallPlace


class CallUnderWay:
    """The call whose tool is running, and how many calls and runs it has begun."""

    __slots__ = (
        '_used',
        'asked',
        'begun',
        'call_id',
        'calls',
        'numbers',
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
        numbers: tuple[int, ...] = (),
        step: int = 0,
        outer: CallUnderWay | None = None,
    ) -> None:
        """Begin with a call.

        Args:
            recorder: The recorder of its run.
            run_id: The run.
            call_id: Its id; that of a call which a tool makes may be another one each time.
            top: The call of the model that it is inside of, or is.
            numbers: Which call of the tool of that it is, and which call of that one's tool, and so on; empty for a call of the
                model.
            step: The step of the call of the model, if an earlier one of the run has the same id.
            outer: The call that it is inside of, if a tool makes it.
        """
        self.recorder: Any = recorder
        self.run_id: str = run_id
        self.call_id: str = call_id
        self.top: str = top
        self.numbers: tuple[int, ...] = numbers
        self.step: int = step
        self.outer: CallUnderWay | None = outer
        self.calls: int = 0
        self.runs: int = 0
        self.begun: dict[str, CallPlace] = {}
        """Where the calls stand that its tool has begun, by their ids."""
        self.asked: dict[str, CallPlace] = {}
        """Where the calls stand that its tool would make, and that were asked about."""
        self._used: RunUsage | None = None

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
        """What the call is known by, wherever its run goes on. Ids of runs have no `#`, `@` or `/`; those of calls may."""
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

    def next(self) -> CallPlace:
        """Return where the next call of its tool stands."""
        self.calls += 1
        return *self.place, self.calls


call_under_way: ContextVar[CallUnderWay | None] = ContextVar('stead_recorded_call', default=None)
