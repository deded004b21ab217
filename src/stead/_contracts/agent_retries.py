"""`AgentRetries`: the retry limits of an agent."""

from typing_extensions import TypedDict


class AgentRetries(TypedDict, total=False):
    """Retry limits of an agent."""

    tools: int
    """Retries of each tool, unless the tool or its toolset has a limit of its own."""
    output: int
    """Retries of the output, for the whole run."""
