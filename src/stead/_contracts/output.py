"""Output types: markers that choose how an output is asked for, and the output as hooks see it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, Union

from typing_extensions import TypeAlias, TypeAliasType, TypeForm, TypeVar

from .._kit.keywords import hinted
from .._kit.meant import with_hint
from .._kit.records import DataRecord, repr_without_defaults
from ..exceptions import UserError
from ._mypy_forms import AnyForm, AnyUnion
from .run_context import AgentDepsT, RunContext
from .tool_definition import ObjectJsonSchema, ToolDefinition

if TYPE_CHECKING:
    from ..messages import ToolCallPart

OutputDataT = TypeVar('OutputDataT', default=str, covariant=True)
"""Type variable for the output of a run."""
OutputDataT_inv = TypeVar('OutputDataT_inv', default=str)
"""The same, for functions that take and return an output."""
T_co = TypeVar('T_co', covariant=True)

OutputMode: TypeAlias = Literal['text', 'tool', 'native', 'prompted', 'tool_or_text', 'image', 'auto']
"""How the output is asked for."""
StructuredOutputMode: TypeAlias = Literal['tool', 'native', 'prompted']
"""How structured output is asked for."""

OutputValidatorFunc: TypeAlias = Union[
    Callable[[RunContext[AgentDepsT], OutputDataT_inv], OutputDataT_inv],
    Callable[[RunContext[AgentDepsT], OutputDataT_inv], Awaitable[OutputDataT_inv]],
    Callable[[OutputDataT_inv], OutputDataT_inv],
    Callable[[OutputDataT_inv], Awaitable[OutputDataT_inv]],
]
"""A function that returns a valid output, changed or not, and raises `ModelRetry` to reject it."""

TextOutputFunc = TypeAliasType(
    'TextOutputFunc',
    Union[
        Callable[[RunContext[Any], str], Union[Awaitable[T_co], T_co]], Callable[[str], Union[Awaitable[T_co], T_co]]
    ],
    type_params=(T_co,),
)
"""A function that turns text into an output."""


@dataclass(repr=False, eq=False)
class FinalResult(DataRecord, Generic[OutputDataT]):
    """The output that ends a run, and the output tool that returned it."""

    output: OutputDataT
    """The output."""
    tool_name: str | None = None
    """Name of the output tool; `None` for text and images."""
    tool_call_id: str | None = None
    """Id of the call of the output tool."""

    def __repr__(self) -> str:
        return repr_without_defaults(self)


@dataclass(repr=False, eq=False)
class OutputObjectDefinition(DataRecord):
    """The schema of structured output, for modes other than tools."""

    json_schema: ObjectJsonSchema
    """The JSON schema."""
    name: str | None = None
    """The name of the output."""
    description: str | None = None
    """What the output is, for the model."""
    strict: bool | None = None
    """Whether the provider enforces the schema."""


@dataclass(repr=False, eq=False)
class OutputContext(DataRecord):
    """Information about an output for output hooks."""

    mode: OutputMode
    """How the output is asked for."""
    output_type: Any  # also unions and other forms that `type` does not cover
    """Its type."""
    object_def: OutputObjectDefinition | None
    """Its schema, for structured output."""
    has_function: bool
    """Whether an output function returns the output."""
    function_name: str | None = None
    """The name of the output function."""
    tool_call: ToolCallPart | None = None
    """The call of the output tool, if there is one."""
    tool_def: ToolDefinition | None = None
    """The definition of the output tool, if there is one."""
    allows_text: bool = False
    """Whether text may be the output, too."""
    allows_image: bool = False
    """Whether an image may be the output, too."""
    allows_deferred_tools: bool = False
    """Whether deferred tool calls may be the output, too."""


OutputTypeOrFunction = TypeAliasType(
    'OutputTypeOrFunction',
    Union[type[T_co], TypeForm[T_co], AnyUnion[T_co], Callable[..., Union[Awaitable[T_co], T_co]]],
    type_params=(T_co,),
)
"""An output type (a class, a union, `Literal`, ...), or an output function, whose result is the output."""


@dataclass(repr=False, eq=False, init=False)
class ToolOutput(DataRecord, Generic[OutputDataT]):
    """Marker of an output that the model returns by calling an output tool."""

    output: OutputTypeOrFunction[OutputDataT]
    """The type, or the output function."""
    name: str | None
    """The name of the tool."""
    description: str | None
    """What the tool is for, for the model."""
    max_retries: int | None
    """How many times the model may try again; the agent's output retries if `None`."""
    strict: bool | None
    """Whether the provider enforces the schema."""
    sequential: bool
    """Whether other tool calls of the same response wait for it, and it for them."""

    @with_hint
    def __init__(
        self,
        type_: OutputTypeOrFunction[OutputDataT],
        *,
        name: str | None = None,
        description: str | None = None,
        max_retries: int | None = None,
        strict: bool | None = None,
        sequential: bool = False,
    ) -> None:
        if max_retries is not None and max_retries < 0:
            raise UserError(f'`max_retries` of `ToolOutput` must be 0 or more, not {max_retries}.')
        self.output = type_
        self.name = name
        self.description = description
        self.max_retries = max_retries
        self.strict = strict
        self.sequential = sequential


@dataclass(repr=False, eq=False, init=False)
class NativeOutput(DataRecord, Generic[OutputDataT]):
    """Marker of an output for which the provider's own structured output is used."""

    outputs: OutputTypeOrFunction[OutputDataT] | Sequence[OutputTypeOrFunction[OutputDataT]]
    """The types, or output functions."""
    name: str | None
    """The name of the schema."""
    description: str | None
    """What the output is, for the model."""
    strict: bool | None
    """Whether the provider enforces the schema."""
    template: str | Literal[False] | None
    """A prompt that repeats the schema, in place of `{schema}`, for models that need it; `False` for no prompt."""

    @with_hint
    def __init__(
        self,
        outputs: OutputTypeOrFunction[OutputDataT] | Sequence[OutputTypeOrFunction[OutputDataT]],
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = None,
        template: str | Literal[False] | None = None,
    ) -> None:
        self.outputs = outputs
        self.name = name
        self.description = description
        self.strict = strict
        self.template = template


@dataclass(repr=False, eq=False, init=False)
class PromptedOutput(DataRecord, Generic[OutputDataT]):
    """Marker of an output that is asked for by a prompt with the JSON schema."""

    outputs: OutputTypeOrFunction[OutputDataT] | Sequence[OutputTypeOrFunction[OutputDataT]]
    """The types, or output functions."""
    name: str | None
    """The name of the schema."""
    description: str | None
    """What the output is, for the model."""
    template: str | Literal[False] | None
    """The prompt, with the schema in place of `{schema}`; `False` for no prompt, if the instructions describe the output."""

    @with_hint
    def __init__(
        self,
        outputs: OutputTypeOrFunction[OutputDataT] | Sequence[OutputTypeOrFunction[OutputDataT]],
        *,
        name: str | None = None,
        description: str | None = None,
        template: str | Literal[False] | None = None,
    ) -> None:
        self.outputs = outputs
        self.name = name
        self.description = description
        self.template = template


@hinted
@dataclass(repr=False, eq=False)
class TextOutput(DataRecord, Generic[OutputDataT]):
    """Marker of an output that a function builds from the text of the model."""

    output_function: TextOutputFunc[OutputDataT]
    """The function; it takes the text, optionally after the run context."""


OutputSpec = TypeAliasType(
    'OutputSpec',
    Union[
        OutputTypeOrFunction[T_co],
        'ToolOutput[T_co]',
        'NativeOutput[T_co]',
        'PromptedOutput[T_co]',
        'TextOutput[T_co]',
        AnyForm[T_co],
        'list[OutputSpec[T_co]]',
        'tuple[OutputSpec[T_co], ...]',
    ],
    type_params=(T_co,),
)
"""The values of `output_type`: types, functions, markers, and sequences of these."""
