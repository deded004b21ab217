"""`Evaluator`, what it sees, what it may say, and how it is written in a file."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any, Generic, Union, cast

from typing_extensions import TypeAlias, TypeVar

from ..._kit.aio import run_coroutine_sync
from ..._kit.json_types import JsonObject
from ..._specs.spec import NamedSpec
from ...messages import ModelMessage, ToolCallPart

InputsT = TypeVar('InputsT', default=Any)
OutputT = TypeVar('OutputT', default=Any)
MetadataT = TypeVar('MetadataT', default=Any)
ScalarT = TypeVar('ScalarT', default=Union[bool, int, float, str], covariant=True)
ValueT = TypeVar('ValueT')
EvaluatorSpec = NamedSpec
"""How an evaluator is written in a file: its name, and its arguments that are not the default."""
EvaluationScalar: TypeAlias = Union[bool, int, float, str]
"""What an evaluator may say: whether something holds, a score, or a label."""


@dataclass
class EvaluationReason:
    """A value with the reason for it."""

    value: EvaluationScalar
    """The value."""
    reason: str | None = None
    """The reason."""


EvaluatorOutput: TypeAlias = Union[
    EvaluationScalar, EvaluationReason, Mapping[str, Union[EvaluationScalar, EvaluationReason]]
]
"""What an evaluator returns: a value, one with a reason, or several by name."""


@dataclass
class EvaluationResult(Generic[ScalarT]):
    """What an evaluator said of a case."""

    name: str
    """What the value is called."""
    value: ScalarT
    """The value."""
    reason: str | None
    """The reason for it."""
    source: NamedSpec
    """The evaluator."""
    evaluator_version: str | None = None
    """The version of the evaluator."""

    def downcast(self, *value_types: type[ValueT]) -> EvaluationResult[ValueT] | None:
        """Return this result if its value is of one of the types; `bool` is not taken for a number."""
        value: object = self.value
        if isinstance(value, bool) and bool not in value_types:
            return None
        return cast('EvaluationResult[ValueT]', self) if isinstance(value, value_types) else None


@dataclass
class EvaluatorFailure:
    """An evaluator that raised an error."""

    name: str
    """What its value would have been called."""
    error_message: str
    """The type of the error and its text."""
    error_stacktrace: str
    """Where it was raised."""
    source: NamedSpec
    """The evaluator."""
    evaluator_version: str | None = None
    """The version of the evaluator."""
    error_type: str | None = None
    """The type of the error."""


@dataclass
class CaseRun:
    """A run of an agent that happened in the task of a case."""

    run_id: str
    """Its id, also in a journal."""
    agent: str | None
    """The name of the agent."""
    messages: Sequence[ModelMessage]
    """Its messages, up to where it ended."""
    asked: Sequence[str] = ()
    """The tools whose calls waited for an approval."""
    error: str | None = None
    """Type and text of what ended it, if it has no result."""

    @property
    def tool_calls(self) -> list[ToolCallPart]:
        """The calls of tools, in their order."""
        return [part for message in self.messages for part in message.parts if isinstance(part, ToolCallPart)]


@dataclass(kw_only=True)
class EvaluatorContext(Generic[InputsT, OutputT, MetadataT]):
    """What evaluators see of a case that was run."""

    name: str | None
    """The name of the case."""
    inputs: InputsT
    """What the task was called with."""
    metadata: MetadataT | None
    """The metadata of the case."""
    expected_output: OutputT | None
    """What the task should return."""
    output: OutputT
    """What the task returned."""
    duration: float
    """How many seconds the task took."""
    _span_tree: object = None
    attributes: JsonObject = field(default_factory=JsonObject)
    """What the task has noted with `set_eval_attribute`."""
    metrics: dict[str, Union[int, float]] = field(default_factory=dict[str, 'int | float'])
    """What the task has counted with `increment_eval_metric`."""
    runs: Sequence[CaseRun] = ()
    """The runs of agents that happened in the task, in the order in which they began."""

    @property
    def span_tree(self) -> object:
        """The spans of the task, if the caller has passed them; evaluations record runs, see `runs`."""
        return self._span_tree


@dataclass(repr=False)
class InFiles:
    """What files name: an evaluator of cases or of reports, a dataclass."""

    @classmethod
    def get_serialization_name(cls) -> str:
        """Return the name in files, by default that of the class."""
        return cls.__name__

    def build_serialization_arguments(self) -> JsonObject:
        """Return the arguments that are not the default, by name."""
        found: JsonObject = {}
        for one in fields(self):
            default = one.default_factory() if one.default_factory is not MISSING else one.default
            if (value := getattr(self, one.name)) != default or default is MISSING:
                found[one.name] = value
        return found

    def as_spec(self) -> NamedSpec:
        """Return how the evaluator is written in a file."""
        arguments = self.build_serialization_arguments() if is_dataclass(self) else {}
        form: Any = arguments or None
        if (
            len(arguments) == 1
            and [*arguments] == [fields(self)[0].name]
            and not isinstance(single := next(iter(arguments.values())), dict)
        ):
            form = (single,)
        return NamedSpec(name=self.get_serialization_name(), arguments=form)

    def __repr__(self) -> str:
        shown = ', '.join(f'{name}={value!r}' for name, value in self._shown().items())
        return f'{type(self).__name__}({shown})'

    def _shown(self) -> JsonObject:
        return {
            one.name: value
            for one in fields(self)
            if (value := getattr(self, one.name)) != one.default or one.default is MISSING
        }


@dataclass(repr=False)
class Evaluator(InFiles, Generic[InputsT, OutputT, MetadataT]):
    """Says something of the output of a case. Subclasses are dataclasses with an `evaluate` method, sync or async."""

    def evaluate(
        self, ctx: EvaluatorContext[InputsT, OutputT, MetadataT]
    ) -> EvaluatorOutput | Awaitable[EvaluatorOutput]:
        """Return what is to be said of a case.

        Raises:
            NotImplementedError: The subclass has no such method.
        """
        raise NotImplementedError(f'{type(self).__name__} has no method `evaluate`.')

    def evaluate_sync(self, ctx: EvaluatorContext[InputsT, OutputT, MetadataT]) -> EvaluatorOutput:
        """Return what `evaluate` does, also if that is async."""
        return run_coroutine_sync(self.evaluate_async(ctx))

    async def evaluate_async(self, ctx: EvaluatorContext[InputsT, OutputT, MetadataT]) -> EvaluatorOutput:
        """Return what `evaluate` does, also if that is sync."""
        found = self.evaluate(ctx)
        return await found if inspect.isawaitable(found) else found

    def get_default_evaluation_name(self) -> str:
        """Return what the value is called if the evaluator returns a single one."""
        return getattr(self, 'evaluation_name', None) or self.get_serialization_name()

    def get_evaluator_version(self) -> str | None:
        """Return the version of the evaluator, which results say."""
        return getattr(self, 'evaluator_version', None)
