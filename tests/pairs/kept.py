"""Features that keep answers of models, or results of tools, for the next time."""

from __future__ import annotations

from stead.caches import ResponseCache, SqliteCache, ToolCache

from .parts import Feature
from .program import Program


class Taped(Feature):
    """Cassettes: what the model answered is recorded, in both processes if there are two; then no model is asked."""

    title, page = 'cassettes', 'cassettes.md'

    def add(self, program: Program) -> None:
        """Record what the model answers."""
        program.cassette = program.folder / 'tape.jsonl'

    async def look(self, program: Program, order: int) -> None:
        """See that something was recorded; what is answered from it is looked at by `play`."""
        assert program.cassette is not None and program.cassette.exists()


class CachedResponses(Feature):
    """Cached responses: when the same session is held again, the model of the agent is not asked."""

    title, page = 'cached responses', 'caches.md#responses'

    def add(self, program: Program) -> None:
        """Keep what the model answers in a file."""
        program.responses = program.folder / 'responses.db'

        def finish() -> None:
            assert program.responses is not None
            program.capabilities.append(ResponseCache(SqliteCache(program.responses)))

        program.finish.append(finish)

    async def look(self, program: Program, order: int) -> None:
        """See that no request was sent twice; that a second session sends none is looked at by `play`."""
        requests = [(line['turn'], line['step']) for line in program.noted('request', order)]
        assert len(requests) == len(set(requests)) + len(program.noted('killed', order))


class CachedResults(Feature):
    """Cached results: a tool that only reads runs once for the same arguments, in all runs and processes."""

    title, page = 'cached results', 'caches.md#results-of-tools'

    def add(self, program: Program) -> None:
        """Add a tool that is called twice."""

        @program.tools.tool_plain(effect='read', cache=ToolCache(SqliteCache(program.folder / 'results.db')))
        def weight(order: int) -> str:
            """Weigh what was ordered."""
            program.note('ran', order, tool='weight')
            return f'order {order}: 2 kg'

        program.calls += [('weight', {}), ('weight', {})]

    async def look(self, program: Program, order: int) -> None:
        """See how often it ran."""
        assert program.ran('weight', order) == 1


KEPT: list[Feature] = [Taped(), CachedResponses(), CachedResults()]
