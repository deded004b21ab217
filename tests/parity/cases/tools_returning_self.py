"""Return schemas of methods that return `Self`: those of the class that the method is bound to."""

from dataclasses import dataclass

from _common import fact
from pydantic import BaseModel
from pydantic_ai import Tool
from typing_extensions import Self


class Model(BaseModel):
    n: int

    def me(self) -> Self:
        """Return it."""
        return self


class Sub(Model):
    m: int = 2


@dataclass
class Data:
    n: int

    def me(self) -> Self:
        return self


for owner in (Model(n=1), Sub(n=1), Model(n=2), Data(1)):
    built = Tool(owner.me)
    fact(
        type(owner).__name__,
        [built.function_schema.return_schema, built.tool_def.parameters_json_schema, built.description],
    )
