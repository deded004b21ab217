"""Arguments of a function whose only parameter is replaced by its fields."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal, TypeVar, Union, cast

from pydantic import ValidationError
from pydantic_core import SchemaValidator, from_json, to_json
from typing_extensions import TypeAlias, TypeGuard

from .._kit.json_types import JsonObject

_InputT = TypeVar('_InputT')
_Partial: TypeAlias = Union[bool, Literal['off', 'on', 'trailing-strings']]


class SingleParameterValidator:
    """Validator of the fields of a parameter, which also accepts them under the name of the parameter.

    It wraps pydantic's validator instead of being a function in its schema: data that has passed through such a function
    is validated as Python data even if it came as JSON, and strict types then refuse dates and tuples.
    """

    def __init__(self, validator: SchemaValidator, name: str, is_field: bool, is_open: bool) -> None:
        """Wrap a validator.

        Args:
            validator: Validates the fields.
            name: The name of the parameter.
            is_field: Whether one of the fields has the same name.
            is_open: Whether any field is allowed.
        """
        self.validator = validator
        self.name = name
        self.is_field = is_field
        self.is_open = is_open
        self._quoted = json.dumps(name)

    def validate_json(
        self, input: str | bytes | bytearray, *, allow_partial: _Partial = False, **options: Any
    ) -> JsonObject:
        """Return the argument by name.

        Raises:
            ValidationError: The fields are not those of the parameter.
        """

        def check(text: str | bytes | bytearray) -> object:
            return self.validator.validate_json(text, allow_partial=allow_partial, **options)

        named = self._quoted in input if isinstance(input, str) else self._quoted.encode() in input
        if named:
            try:
                data: object = from_json(input, allow_partial=allow_partial)
            except ValueError:  # the validator reports it
                data = {}
            if self._is_named(data):
                return self._validate(check, input, to_json(data[self.name]))
        return {self.name: check(input)}

    def validate_python(self, input: object, *, allow_partial: _Partial = False, **options: Any) -> JsonObject:
        """Return the argument by name.

        Raises:
            ValidationError: The fields are not those of the parameter.
        """

        def check(data: object) -> object:
            return self.validator.validate_python(data, allow_partial=allow_partial, **options)

        if self._is_named(input):
            return self._validate(check, input, input[self.name])
        return {self.name: check(input)}

    def _is_named(self, data: object) -> TypeGuard[JsonObject]:
        return isinstance(data, dict) and len(cast(JsonObject, data)) == 1 and self.name in data

    def _validate(self, check: Callable[[_InputT], object], whole: _InputT, inner: _InputT) -> JsonObject:
        """Validate arguments whose only key is the name of the parameter: as its fields, and as the parameter itself."""
        first, second = (whole, inner) if self.is_field else (inner, whole)
        try:
            return {self.name: check(first)}
        except ValidationError:
            if not (self.is_field or self.is_open):
                raise
            try:
                return {self.name: check(second)}
            except ValidationError:
                pass  # the first error is the better one: it is about what the schema asks for
            raise
