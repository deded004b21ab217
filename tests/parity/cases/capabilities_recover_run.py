"""Hooks that answer or recover in place of a whole run."""

from pydantic_ai.run import AgentRunResult

from _capabilities import recover

recover('run', lambda: AgentRunResult('recovered'))
