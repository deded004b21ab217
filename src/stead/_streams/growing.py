"""`GrowingOutput`: validates an output again and again while its JSON comes in, without reading the whole of it each time.

Long outputs are mostly lists of rows. A row that is complete is validated once, cut out of the text, and put into every
later output. The rest, the other fields and the row that is still coming in, is as short at the end as at the beginning.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import SchemaValidator
from typing_extensions import is_typeddict

from .._kit.unset import UNSET
from .._kit.well_formed import without_half_number
from ..output import ObjectOutputProcessor
from ..output._half_choices import partial_mode
from ..output._processors import ENDS_OF_NUMBERS

_outside = re.compile(r'"[^"\\]*"|["\\\[\]{},]').search
"""Finds the next mark outside of strings; a string that is whole and has no escapes is one."""
_in_item = re.compile(r'"[^"\\]*"|["\\\[\]{}]').search
"""As `_outside`, without the commas: inside of items they do not matter."""
_in_string = re.compile(r'["\\]').search
_flat_item = re.compile(r'\s*\{[^{}\[\]"]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[^{}\[\]"]*)*\}\s*,').match
"""Finds an item that is an object without further objects or lists in it, and the comma after it."""
_opens_object = re.compile(r'\s*\{').match


@dataclass
class ListField:
    """A list among the fields of an output."""

    attribute: str
    """The field of the output; empty if the output is the list itself."""
    items: SchemaValidator
    """Validates one item."""
    required: tuple[str, ...] = ()
    """The keys, in quotes, that an item has to have; an output whose last item lacks one of them is not valid yet."""


class CannotGrow(Exception):
    """The text is not of the expected form; it must be validated as a whole."""


def list_fields(processor: ObjectOutputProcessor[object]) -> dict[str, ListField]:
    """Return the lists of an output whose items can be validated one by one, by their keys in the JSON.

    Only lists whose items alone decide whether they are valid: no constraints, and no validators of the whole output.
    """
    if processor.function is not None or processor.compiled is None:
        return {}
    output_type: Any = processor.output_type
    if processor.outer_key is not None:
        field = _list_field('', output_type)
        return {processor.outer_key: field} if field is not None else {}
    if is_typeddict(output_type):
        if getattr(output_type, '__pydantic_config__', None):
            return {}
        fields = {
            name: _list_field(name, hint) for name, hint in get_type_hints(output_type, include_extras=True).items()
        }
    elif isinstance(output_type, type) and issubclass(output_type, BaseModel):
        model = output_type
        if model.model_config or model.__pydantic_post_init__ or model.__pydantic_custom_init__ or _validates(model):
            return {}
        fields = {
            field.alias or name: _list_field(name, field.annotation, strict=True)
            for name, field in model.model_fields.items()
            if not field.metadata and field.validation_alias in (None, field.alias)
        }
    else:
        return {}
    return {key: field for key, field in fields.items() if field is not None}


def _validates(model: type[BaseModel]) -> bool:
    rules = model.__pydantic_decorators__
    return bool(rules.validators or rules.field_validators or rules.root_validators or rules.model_validators)


def _list_field(attribute: str, hint: object, *, strict: bool = False) -> ListField | None:
    """Return how a list is validated item by item; `None` if the field is not a list.

    Args:
        attribute: The field of the output.
        hint: Its type.
        strict: Whether the output is invalid as long as the last item is; otherwise such an item is left out.
    """
    if get_origin(hint) is not list:
        return None
    item: Any = get_args(hint)[0]
    validator = cast(SchemaValidator, TypeAdapter[Any](item).validator)
    is_model = isinstance(item, type) and issubclass(item, BaseModel)
    return ListField(attribute, validator, _required_keys(cast('type[BaseModel]', item)) if strict and is_model else ())


def _required_keys(model: type[BaseModel]) -> tuple[str, ...]:
    """Return the keys, in quotes, without which no data is valid for a model; none if its validators may add what is missing."""
    rules = model.__pydantic_decorators__
    if (
        model.__pydantic_custom_init__
        or model.__pydantic_root_model__
        or rules.model_validators
        or rules.root_validators
        or model.__get_pydantic_core_schema__.__func__ is not BaseModel.__get_pydantic_core_schema__.__func__  # type: ignore[attr-defined]
        or any(field.validation_alias is not None or field.alias is not None for field in model.model_fields.values())
    ):
        return ()
    return tuple(f'"{name}"' for name, field in model.model_fields.items() if field.is_required() and name.isascii())


class GrowingOutput:
    """One output while its JSON comes in."""

    def __init__(
        self,
        processor: ObjectOutputProcessor[object],
        fields: dict[str, ListField],
        context: object,
        *,
        is_output: bool,
    ) -> None:
        self.processor = processor
        self.fields = fields
        self.context = context
        self.is_output = is_output
        """Whether what is valid is the output, as no function, validator or hook makes something else of it."""
        self.seen = 0
        """How much of the whole text is in `kept`, or was cut out of it."""
        self.kept = ''
        """The text without the items that are complete."""
        self.at = 0
        """How far `kept` has been scanned."""
        self.depth = 0
        """How many brackets are open there."""
        self.in_string = False
        self.string_start = 0
        """Where the last string begins."""
        self.key: str | None = None
        """The field that the text is in."""
        self.wants_key = False
        """Whether the next string is a key."""
        self.item_start: int | None = None
        """Where the current item of a list of `fields` begins; `None` outside of one."""
        self.done: dict[str, list[Any]] = {}
        """The validated items of each list."""
        self.stuck = False
        """Whether an item is invalid, so that nothing is cut out from there on."""
        self.lacking: str | None = None
        """A key that the current item lacks."""
        self.waits = False
        """Whether the text ends within an object that is an item, which is looked at when it may be complete."""

    @classmethod
    def of(cls, processor: object, context: object, *, further: bool = False) -> GrowingOutput | None:
        """Return a validator for the outputs of a processor step by step, or `None` if they must be validated whole.

        Args:
            processor: The processor.
            context: The validation context.
            further: Whether validators or hooks get what is valid.
        """
        if type(processor) is not ObjectOutputProcessor:
            return None
        known = cast('ObjectOutputProcessor[object]', processor)
        if known.list_fields is None:
            known.list_fields = list_fields(known)
        if not known.list_fields:
            return None
        return cls(known, known.list_fields, context, is_output=known.function is None and not further)

    def validate(self, text: str) -> Any:
        """Return the output as far as it has come.

        Args:
            text: The JSON so far, which begins with the text of the last call.

        Raises:
            ValidationError: The JSON so far is not valid, or not yet.
            CannotGrow: The text must be validated as a whole, now and from now on.
        """
        self._take(text[self.seen :])
        return self._validated()

    def validate_more(self, piece: str) -> Any:
        """Return the output as far as it has come, with a piece that follows the text so far; errors as for `validate`.

        Returns:
            The output, or `UNSET` if it is known without validation that it is not valid yet: errors take longer.
        """
        self._take(piece)
        if self.item_start is not None and self._lacks_a_key(self.item_start):
            return UNSET
        return self._validated()

    def _take(self, piece: str) -> None:
        self.kept += piece
        self.seen += len(piece)
        if not self.waits or '}' in piece:
            self._scan()

    def _validated(self) -> Any:
        text = without_half_number(self.kept)
        is_number = text[-1:] in ENDS_OF_NUMBERS  # in quotes: half a number without them has been taken away
        choices = self.processor.definition.json_schema if is_number else self.processor.schema_of_choices
        mode = partial_mode(text, choices) if choices else 'trailing-strings'
        validated = self.processor.validator.validate_json(text, allow_partial=mode, context=self.context)
        value: Any = self.processor.unwrapped(validated)
        for key, items in self.done.items():
            attribute = self.fields[key].attribute
            if not attribute:
                value = [*items, *value]
            elif isinstance(value, dict):  # a last item that is not valid yet is left out, or the list with it
                row = cast('dict[str, Any]', value)
                row[attribute] = [*items, *row.get(attribute, ())]
            else:
                fields = value.__dict__
                fields[attribute] = [*items, *fields[attribute]]
        return cast(Any, value)

    def _scan(self) -> None:
        """Scan the new text, and cut out the items that it completes."""
        while not self.stuck:
            if self.at == self.item_start:  # an item begins here
                self._flat_items()
                if self.waits or self.stuck:
                    return
            search = _in_string if self.in_string else _outside if self.depth < 3 else _in_item
            mark = search(self.kept, self.at)
            if mark is None:
                self.at = len(self.kept)
                return
            place, sign = mark.start(), mark[0]
            if sign == '\\':
                if place + 1 == len(self.kept):  # what it escapes is still to come
                    return
                self.at = place + 2
                continue
            self.at = place + len(sign)
            if len(sign) > 1:
                if self.wants_key:
                    self.key, self.wants_key = sign[1:-1], False
            elif sign == '"':
                self._quote(place)
            elif sign in '[{':
                self._open(place, sign)
            elif sign == ',':
                self._comma(place)
            else:
                self._close(place)

    def _flat_items(self) -> None:
        """Cut out items that are complete objects without further ones in them; if one has only begun, wait for its end."""
        while (item := _flat_item(self.kept, self.at)) is not None:
            self.at = item.end()
            self._cut_out(self.at - 1, self.at)
            if self.stuck:
                return
        self.waits = self.kept.find('}', self.at) < 0 and _opens_object(self.kept, self.at) is not None

    def _quote(self, place: int) -> None:
        self.in_string = not self.in_string
        if self.in_string:
            self.string_start = place
        elif self.wants_key:
            self.key = json.loads(self.kept[self.string_start : place + 1])
            self.wants_key = False

    def _open(self, place: int, sign: str) -> None:
        self.depth += 1
        if self.depth == 1:
            if sign != '{' or self.kept[:place].strip():
                raise CannotGrow
            self.wants_key = True
        elif self.depth == 2 and sign == '[' and self.key in self.fields:
            if self.key in self.done:  # the last of two values counts
                raise CannotGrow
            self.item_start = place + 1

    def _comma(self, place: int) -> None:
        if self.depth == 1:
            self.wants_key = True
        elif self.depth == 2 and self.item_start is not None:
            self._cut_out(place, place + 1)

    def _close(self, place: int) -> None:
        if self.depth == 2 and self.item_start is not None:
            if self.kept[self.item_start : place].strip():
                self._cut_out(place, place)
            self.item_start = None
        self.depth -= 1

    def _cut_out(self, end: int, after: int) -> None:
        """Validate the current item, which ends at `end`, and cut it out of the text."""
        assert self.item_start is not None and self.key is not None, 'only items of lists are cut out'
        try:
            item = self.fields[self.key].items.validate_json(self.kept[self.item_start : end], context=self.context)
        except ValidationError:
            self.stuck = True
            return
        self.lacking = None
        self.done.setdefault(self.key, []).append(item)
        self.kept = self.kept[: self.item_start] + self.kept[after:]
        self.at -= after - self.item_start

    def _lacks_a_key(self, begin: int) -> bool:
        """Return whether the item that is coming in, which begins at `begin`, lacks a key that it has to have."""
        kept, key = self.kept, self.key
        if self.stuck or key is None or '\\' in kept or _opens_object(kept, begin) is None:
            return False
        if self.lacking is not None and kept.find(self.lacking, begin) < 0:
            return True
        self.lacking = None
        for name in self.fields[key].required:
            if kept.find(name, begin) < 0:
                self.lacking = name
                return True
        return False
