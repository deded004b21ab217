"""`Account`: the usage of a recorded run, without that of unanswered calls.

A tool mostly runs an agent with the usage of the outer run: `inner.run(..., usage=ctx.usage)`. They share one object, which
counts for all of them. When the outer run is resumed, it makes its unanswered calls again. The inner runs continue, and each adds
its earlier usage. So the record of the outer run must not include that.

The outer run records what the object says, less the usage inside of unanswered calls. An inner run records the sum of its
responses and of its answered calls.
"""

from __future__ import annotations

from ..usage import RunUsage, less
from ._call import CallUnderWay, call_under_way


class Account:
    """What one run has used."""

    __slots__ = ('_answered', '_calls', '_outer', 'usage')

    def __init__(self, usage: RunUsage, outer: Account | None = None, place: CallUnderWay | None = None) -> None:
        """Begin with a run.

        Args:
            usage: What the run counts in.
            outer: The account of the run that it is inside of, if both count in the same object.
            place: The call there that it is inside of.
        """
        self.usage: RunUsage = usage
        self._outer = (outer, place) if outer is not None and place is not None and outer.usage is usage else None
        self._answered = RunUsage()
        self._calls: dict[str, RunUsage] = {}

    def add(self, used: RunUsage, call_id: str | None = None) -> None:
        """Add what the run has used itself, or what was used inside of one of its calls."""
        if self._outer is not None:
            outer, place = self._outer
            outer.add(used, place.top)
            place.note(used)
        elif call_id is None:
            return  # the object has it
        if call_id is None:
            self._answered.incr(used)
        else:
            self._calls.setdefault(call_id, RunUsage()).incr(used)

    def answer(self, call_id: str, *, is_counted: bool) -> RunUsage:
        """Return what the run has used once a call has its answer.

        Args:
            call_id: The call.
            is_counted: Whether it counts as a call of a tool.
        """
        if is_counted and self._outer is not None:
            self.add(RunUsage(tool_calls=1))
        if (used := self._calls.pop(call_id, None)) is not None:
            self._answered.incr(used)
        return self.total()

    def answer_all(self) -> None:
        """Note that all calls have their answers."""
        for used in self._calls.values():
            self._answered.incr(used)
        self._calls.clear()

    def total(self) -> RunUsage:
        """Return what the run has used."""
        if self._outer is not None:
            return self._answered
        if not self._calls:
            return self.usage
        total = self.usage
        for used in self._calls.values():
            total = less(total, used)
        return total


def account_of(usage: RunUsage) -> Account:
    """Return the account of a run that begins here, and counts in an object; a tool of another run may have started it."""
    place = call_under_way.get()
    outer = place.recorder.log_of(place.run_id) if place is not None else None
    return Account(usage) if outer is None else Account(usage, outer.account, place)
