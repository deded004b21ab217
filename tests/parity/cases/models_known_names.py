"""`KnownModelName` and the names of providers that are compatible with OpenAI responses."""

from typing import get_args

from _models import fact
from pydantic_ai.models import KnownModelName, OpenAIResponsesCompatibleProvider

# stead lists what it takes: no names of providers that it does not have yet, and weights of its own.
ELSEWHERE = ('local',)
names = [name for name in get_args(KnownModelName.__value__) if name.partition(':')[0] not in ELSEWHERE]
fact('count', len(names))
for name in sorted(names):
    fact(name, True)
fact('responses', sorted(get_args(OpenAIResponsesCompatibleProvider.__value__)))
fact('printed', [str(KnownModelName), str(OpenAIResponsesCompatibleProvider)])
