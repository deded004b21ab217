"""`LLMJudge`: a model that says whether an output fits a rubric."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Union

from typing_extensions import TypedDict

from ..._kit.json_types import JsonObject
from ...models import KnownModelName, Model
from ...settings import ModelSettings
from ._base import EvaluationReason, Evaluator, EvaluatorContext, EvaluatorOutput
from .llm_as_a_judge import judge


class OutputConfig(TypedDict, total=False):
    """How a result of a judge is written down."""

    evaluation_name: str
    """What it is called."""
    include_reason: bool
    """Whether the reason is kept."""


@dataclass(repr=False)
class LLMJudge(Evaluator):
    """A model says whether the output fits a rubric."""

    rubric: str
    """What a good output is like."""
    model: Union[Model[Any], KnownModelName, str, None] = None
    """The model that judges; `None` for that of `set_default_judge_model`."""
    include_input: bool = False
    """Whether the judge sees the inputs."""
    include_expected_output: bool = False
    """Whether the judge sees the expected output."""
    model_settings: Union[ModelSettings, None] = None
    """Settings of the model."""
    score: Union[OutputConfig, Literal[False]] = False
    """How the score is written down; `False` for not at all."""
    assertion: Union[OutputConfig, Literal[False]] = field(default_factory=lambda: OutputConfig(include_reason=True))
    """How it is written down whether the output passes; `False` for not at all."""

    async def evaluate(self, ctx: EvaluatorContext) -> EvaluatorOutput:
        """Ask the judge.

        Raises:
            AgentRunError: The judge did not answer.
        """
        shown: dict[str, object] = {'input': ctx.inputs} if self.include_input else {}
        shown['output'] = ctx.output
        if self.include_expected_output:
            shown['expected output'] = ctx.expected_output
        shown['rubric'] = self.rubric
        answer = await judge(shown, self.model, self.model_settings)
        name = self.get_default_evaluation_name()
        both = self.score is not False and self.assertion is not False
        found: JsonObject = {}
        for config, value, suffix in ((self.score, answer.score, 'score'), (self.assertion, answer.pass_, 'pass')):
            if not isinstance(config, bool):
                own_name = config.get('evaluation_name') or (f'{name}_{suffix}' if both else name)
                found[own_name] = EvaluationReason(value, answer.reason if config.get('include_reason') else None)
        return found

    def build_serialization_arguments(self) -> JsonObject:
        """Return the arguments that are not the default; a model is known by its name."""
        found = super().build_serialization_arguments()
        if isinstance(self.model, Model):
            found['model'] = self.model.model_id
        return found
