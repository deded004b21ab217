"""Arguments of a function whose one parameter lends them its fields."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal, Union, cast

from pydantic import ValidationError
from pydantic_core import SchemaValidator, from_json, to_json
from typing_extensions import TypeAlias

_Partial: TypeAlias = Union[bool, Literal['off', 'on', 'trailing-strings']]


class SingleParameterValidator:
    """Validates the fields of a parameter; models that name the parameter around them are understood, too.

    It stands around pydantic's validator, not in its schema: what passes through a function in there is validated as
    Python data, even if it came as JSON, and strict types then refuse dates and tuples.
    """

    def __init__(self, validator: SchemaValidator, name: str, is_field: bool, is_open: bool) -> None:
        """Wrap a validator.

        Args:
            validator: Validates the fields.
            name: The name of the parameter.
            is_field: Whether one of the fields has that name, too.
            is_open: Whether any field is allowed.
        """
        self.validator = validator
        self.name = name
        self.is_field = is_field
        self.is_open = is_open
        self._quoted = json.dumps(name)

    def validate_json(
        self, input: str | bytes | bytearray, *, allow_partial: _Partial = False, **options: Any
    ) -> dict[str, Any]:
        """Return the argument by name.

        Raises:
            ValidationError: The fields are not those of the parameter.
        """

        def check(text: Any) -> Any:
            return self.validator.validate_json(text, allow_partial=allow_partial, **options)

        quoted: Any = self._quoted if isinstance(input, str) else self._quoted.encode()
        if quoted in input:
            try:
                data: Any = from_json(input, allow_partial=allow_partial)
            except ValueError:  # the validator reports it
                data = {}
            if self._is_named(data):
                return self._validate(check, input, to_json(data[self.name]))
        return {self.name: check(input)}

    def validate_python(self, input: Any, *, allow_partial: _Partial = False, **options: Any) -> dict[str, Any]:
        """Return the argument by name.

        Raises:
            ValidationError: The fields are not those of the parameter.
        """

        def check(data: Any) -> Any:
            return self.validator.validate_python(data, allow_partial=allow_partial, **options)

        if self._is_named(input):
            return self._validate(check, input, input[self.name])
        return {self.name: check(input)}

    def _is_named(self, data: Any) -> bool:
        return isinstance(data, dict) and len(cast(Any, data)) == 1 and self.name in data

    def _validate(self, check: Callable[[Any], Any], whole: Any, inner: Any) -> dict[str, Any]:
        """Validate arguments that have one key, the name of the parameter."""
        first, second = (whole, inner) if self.is_field else (inner, whole)
        try:
            return {self.name: check(first)}
        except ValidationError:
            if not (self.is_field or self.is_open):
                raise
            try:
                return {self.name: check(second)}
            except ValidationError:
                pass  # the first attempt says more: it is what the schema asks for
            raise
