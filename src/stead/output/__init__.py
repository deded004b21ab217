"""Output: how a model is asked for the result of a run, and how its response is validated and processed."""

from __future__ import annotations

from .._contracts.output import (
    NativeOutput,
    OutputContext,
    OutputDataT,
    OutputDataT_inv,
    OutputMode,
    OutputObjectDefinition,
    OutputSpec,
    OutputTypeOrFunction,
    OutputValidatorFunc,
    PromptedOutput,
    StructuredOutputMode,
    TextOutput,
    TextOutputFunc,
    ToolOutput,
)
from .._kit.lazy import lazy_modules
from ._choices import BoolCriteria, Choice, Choices
from ._functions import output_function
from ._processors import ObjectOutputProcessor, OutputProcessor, TextOutputProcessor, UnionOutputProcessor
from ._schema import OutputSchema, StructuredTextOutputSchema, TextOutputSchema
from ._structured_dict import StructuredDict
from ._toolset import OutputToolset

__all__ = (
    'BoolCriteria',
    'Choice',
    'Choices',
    'NativeOutput',
    'ObjectOutputProcessor',
    'OutputContext',
    'OutputDataT',
    'OutputDataT_inv',
    'OutputMode',
    'OutputObjectDefinition',
    'OutputProcessor',
    'OutputSchema',
    'OutputSpec',
    'OutputToolset',
    'OutputTypeOrFunction',
    'OutputValidatorFunc',
    'PromptedOutput',
    'StructuredDict',
    'StructuredOutputMode',
    'StructuredTextOutputSchema',
    'TextOutput',
    'TextOutputFunc',
    'TextOutputProcessor',
    'TextOutputSchema',
    'ToolOutput',
    'UnionOutputProcessor',
    'output_function',
)

lazy_modules(__name__)
