from _common import *

from pydantic_ai.usage import RunUsage

usage = RunUsage(requests=3)
result = Agent(script([TextPart('a')])).run_sync('hi', usage=usage)
fact('shared', [str(usage), str(result.usage), result.usage == usage])
