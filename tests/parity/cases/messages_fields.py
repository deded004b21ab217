import dataclasses

import pydantic_ai.messages as m
from _common import fact

BEYOND = ('FunctionToolProgressEvent', 'StreamAttemptEvent')

for name in sorted(dir(m)):
    cls = getattr(m, name)
    if isinstance(cls, type) and dataclasses.is_dataclass(cls) and name not in ('RequestUsage', *BEYOND):
        for f in dataclasses.fields(cls):
            default = f.default if isinstance(f.default, (str, bool)) else None
            fact(
                f'{name}.{f.name}',
                [
                    f.kw_only,
                    f.repr,
                    f.compare,
                    f.init,
                    default,
                    f.default is dataclasses.MISSING,
                    f.default_factory is not dataclasses.MISSING,
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
