"""Outputs that were recorded as JSON, and are returned again in the type that is asked for now."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError
from pydantic_core import to_json

from .._kit.annotations import TypeForm
from .._kit.short import short_repr
from ..exceptions import UserError

_BYTES = ConfigDict(val_json_bytes='base64')


def recorded_output(forms: Sequence[TypeForm], data: object, run_id: str) -> Any:
    """Return an output that was recorded, in one of several types: the first that it fits without conversion, or else with it.

    Args:
        forms: The types that outputs have, after output functions.
        data: The JSON data of the output.
        run_id: The run that returned it.

    Raises:
        UserError: It fits none of the types.
    """
    text, reasons = to_json(data), list[str]()
    for strict in (True, False):
        for form in forms:
            try:
                adapter = _adapter(form)
            except (PydanticUserError, TypeError, NameError):  # a type of which only its function makes objects
                return data
            try:
                return adapter.validate_json(text, strict=strict)
            except ValidationError as error:
                reasons.append(f'{form!r}: {error.errors(include_url=False)[0]["msg"]}')
    raise UserError(
        f'Run {run_id!r} has ended. Its output is recorded as {short_repr(data)}, and cannot be made into the `output_type` that '
        f'is asked for now ({"; ".join(dict.fromkeys(reasons))}). Nothing was done again. Ask with the `output_type` that the '
        'run had, or read the data with `journal.state(run_id)`.'
    )


@lru_cache(maxsize=256)
def _adapter(form: TypeForm) -> TypeAdapter[Any]:
    try:
        return TypeAdapter(form, config=_BYTES)
    except PydanticUserError:  # a model has a configuration of its own
        return TypeAdapter(form)
