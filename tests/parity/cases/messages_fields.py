"""The fields of every message type, with their defaults and flags."""

import dataclasses

import pydantic_ai.messages as m
from _common import fact

BEYOND = ('FunctionToolProgressEvent', 'ResponseRestartEvent', 'StreamAttemptEvent')

for name in sorted(dir(m)):
    cls = getattr(m, name)
    if isinstance(cls, type) and dataclasses.is_dataclass(cls) and name not in ('RequestUsage', *BEYOND):
        for field in dataclasses.fields(cls):
            default = field.default if isinstance(field.default, (str, bool)) else None
            fact(
                f'{name}.{field.name}',
                [
                    field.kw_only,
                    field.repr,
                    field.compare,
                    field.init,
                    default,
                    field.default is dataclasses.MISSING,
                    field.default_factory is not dataclasses.MISSING,
                ],
            )
        fact(
            name,
            [
                cls.__hash__ is None,
                list(cls.__match_args__),
                [base.__name__ for base in cls.__mro__ if dataclasses.is_dataclass(base)],
            ],
        )
