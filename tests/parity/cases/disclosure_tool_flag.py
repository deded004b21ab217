"""The flag of a tool does nothing on a deferred capability, and hides the tool on one that is not deferred."""

from _disclosure import LOCAL, load, model, run, search
from pydantic_ai import Agent
from pydantic_ai.capabilities import Capability


def make(**options):
    with_options = Capability(id='c', **options)

    @with_options.tool_plain(defer_loading=True)
    def hidden(x: int) -> int:
        """Hidden away."""
        return x

    @with_options.tool_plain
    def shown(x: int) -> int:
        """Shown to all."""
        return x

    return with_options


run(Agent(model(load('c'), **LOCAL), capabilities=[make(defer_loading=True)]))
run(Agent(model(search('hidden'), **LOCAL), capabilities=[make()]))
