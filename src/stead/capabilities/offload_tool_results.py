"""`OffloadToolResults` puts long tool results into a store, and sends where they are."""

from __future__ import annotations

import re
import warnings
from dataclasses import field
from hashlib import blake2b

from .._contracts.model import ModelRequestContext
from .._contracts.run_context import AnyDepsT, RunContext
from .._kit.aio import run_in_executor
from .._kit.keywords import dataclass
from ..exceptions import UserError
from ..messages import ModelMessage, ToolReturnPart
from ._context.past import KeepFunc
from ._context.results import ShorterResults, ends
from ._context.shortening import check_counts, check_keep
from ._context.stores import ResultStore, opened

_UNSAFE = re.compile(r'[^A-Za-z0-9_-]+')
_KEY = re.compile(r'[A-Za-z0-9_-]{0,100}-[0-9a-f]{12}')


@dataclass
class OffloadToolResults(ShorterResults[AnyDepsT]):
    """Send the first words of long tool results and where the rest is; the history of the run has them whole.

    Without a store, the tool `recall` reads them from the history. With one they are also put there: for other programs and tools
    that read files, and for conversations whose history the program cuts itself.
    """

    leaves_requests_alone = True  # it puts other messages into a request of its own

    over: int = 4_000
    """The most tokens of a result that is sent whole, about; see `docs/long-conversations.md` for how they are counted."""
    store: ResultStore | None = None
    """A mapping of texts; the path of a directory, which gets a file for each; or of a file of SQLite (`.db`, `.sqlite`)."""
    preview: int = field(default=100, kw_only=True)
    """The tokens of the beginning that are sent, at most `over`."""
    keep_results: KeepFunc | None = field(default=None, kw_only=True)
    """Says of a result whether it is always sent whole, as if it were pinned."""
    recall: bool = field(default=True, kw_only=True)
    """Whether the model gets the tool `recall`, which finds what is not shown."""

    def __post_init__(self) -> None:
        check_counts('OffloadToolResults', 0, over=self.over, preview=self.preview)
        check_keep('OffloadToolResults', 'keep_results', self.keep_results)
        self.preview = min(self.preview, self.over)
        if self.store is None and not self.recall:
            raise UserError(
                '`OffloadToolResults(recall=False)` needs a `store=`: nothing could read the results otherwise.'
            )
        self._texts = None if self.store is None else opened(self.store)
        if self._texts is not None:
            self.refused_in_workflows = (
                '`OffloadToolResults(store=...)` would write while the workflow is replayed. Leave `store=` out: `recall` '
                'reads the history of the run.'
            )
        self.begin()

    def begin(self) -> None:
        """Forget what was sent."""
        super().begin()
        self._unwritten: list[tuple[str, str]] = []

    def shorter(self, part: ToolReturnPart, text: str) -> str:
        """Return the beginning of a result, and where the rest is."""
        key = part.tool_call_id
        if self._texts is not None:
            key = f'{_UNSAFE.sub("_", key)[:100]}-{blake2b(text.encode(errors="replace"), digest_size=6).hexdigest()}'
            self._unwritten.append((key, text))
        hint = f', recall(id={key!r}) reads it' if self.recall else ''
        begin = ends(text, self.preview)[0] if self.preview else ''
        return f'{begin}\n[… The result has {len(text)} characters. It is kept as {key!r}{hint} …]'.lstrip()

    async def shorten(self, ctx: RunContext[AnyDepsT], request: ModelRequestContext) -> list[ModelMessage]:
        """Return the messages with shorter results, after those are in the store."""
        messages = await super().shorten(ctx, request)
        while self._unwritten and self._texts is not None:
            key, text = self._unwritten[0]
            try:
                await run_in_executor(self._texts.__setitem__, key, text)
            except Exception as error:  # the history has the result: the run need not end
                warnings.warn(f'`OffloadToolResults` could not store the result {key!r}: {error!r}', stacklevel=2)
            del self._unwritten[0]
        return messages

    async def stored(self, key: str) -> str | None:
        """Return a text that was put into the store by its key; `None` if there is none, whatever else is in the store."""
        if self._texts is None or not _KEY.fullmatch(key):  # models write keys, too
            return None
        try:
            return await run_in_executor(self._texts.__getitem__, key)
        except KeyError:
            return None
