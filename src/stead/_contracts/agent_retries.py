"""`AgentRetries`: how often tools and the output may be tried again."""

from __future__ import annotations

from typing_extensions import TypedDict


class AgentRetries(TypedDict, total=False):
    """Retry budgets of an agent."""

    tools: int
    """Retries of each tool, for tools and toolsets that set none of their own."""
    output: int
    """Retries of the output, for the whole run."""
