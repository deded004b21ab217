from typing import get_args

from _models import fact
from pydantic_ai.models import KnownModelName, OpenAIResponsesCompatibleProvider

names = get_args(KnownModelName.__value__)
fact('count', len(names))
for name in sorted(names):
    fact(name, True)
fact('responses', sorted(get_args(OpenAIResponsesCompatibleProvider.__value__)))
fact('printed', [str(KnownModelName), str(OpenAIResponsesCompatibleProvider)])
