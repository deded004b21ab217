"""Hooks that answer or recover in place of a whole run."""

from _capabilities import recover
from pydantic_ai.run import AgentRunResult

recover('run', lambda: AgentRunResult('recovered'))
