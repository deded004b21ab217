"""`TruncateToolResults` sends the beginning and the end of long tool results only."""

from __future__ import annotations

from dataclasses import field

from .._contracts.run_context import AnyDepsT
from .._kit.keywords import dataclass
from ..exceptions import UserError
from ..messages import ToolReturnPart
from ._context.past import KeepFunc
from ._context.results import ShorterResults, ends
from ._context.shortening import check_counts, check_keep


@dataclass
class TruncateToolResults(ShorterResults[AnyDepsT]):
    """Send the beginning and the end of tool results that are too long; the history of the run has them whole.

    That is done from the first time that the model reads a result, and always in the same way, so that what is sent does not
    change later. With `recall`, the model can read the rest.
    """

    leaves_requests_alone = True  # it puts other messages into a request of its own

    over: int = 4_000
    """The most tokens of a result that is sent whole, about; see `docs/long-conversations.md` for how they are counted."""
    keep: int | None = None
    """The tokens that are sent of a longer one: two thirds of them from its beginning; by default, a quarter of `over`."""
    keep_results: KeepFunc | None = field(default=None, kw_only=True)
    """Says of a result whether it is always sent whole, as if it were pinned."""
    recall: bool = field(default=True, kw_only=True)
    """Whether the model gets the tool `recall`, which finds what is not shown."""

    def __post_init__(self) -> None:
        check_counts('TruncateToolResults', over=self.over)
        if self.keep is None:
            self.keep = max(self.over // 4, 1)
        check_counts('TruncateToolResults', keep=self.keep)
        if self.keep > self.over:
            raise UserError(
                f'`TruncateToolResults` keeps {self.keep} tokens of results over {self.over} tokens: it must not keep more than '
                'that.'
            )
        check_keep('TruncateToolResults', 'keep_results', self.keep_results)
        self.begin()

    def shorter(self, part: ToolReturnPart, text: str) -> str:
        """Return the beginning and the end of a result, and how much is left out between them."""
        head, tail = ends(text, self.keep or 1)
        hint = f': recall(id={part.tool_call_id!r}) shows it' if self.recall else ''
        return f'{head}\n[… {len(text) - len(head) - len(tail)} characters are left out{hint} …]\n{tail}'
