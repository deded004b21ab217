"""A usage that is passed in and counted on."""

from _common import fact, script
from pydantic_ai import Agent
from pydantic_ai.messages import TextPart
from pydantic_ai.usage import RunUsage

usage = RunUsage(requests=3)
result = Agent(script([TextPart('a')])).run_sync('hi', usage=usage)
fact('shared', [str(usage), str(result.usage), result.usage == usage])
