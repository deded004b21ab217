"""A misspelt argument of what programs configure agents with: the error says which may have been meant, on every Python."""

from __future__ import annotations

import inspect

import pytest

import stead.capabilities
import stead.native_tools
import stead.output
from stead.capabilities import (
    AbstractCapability,
    ApprovalRule,
    CapabilityOrdering,
    CombinedCapability,
    DynamicCapability,
    Hooks,
    NativeOrLocalTool,
    SetToolMetadata,
    Thinking,
    WrapperCapability,
)
from stead.native_tools import AbstractNativeTool
from stead.output import NativeOutput, PromptedOutput, TextOutput, ToolOutput

BASES = (
    AbstractCapability,
    AbstractNativeTool,
    CapabilityOrdering,
    ApprovalRule,
    NativeOutput,
    PromptedOutput,
    TextOutput,
    ToolOutput,
)
ABSTRACT = (
    AbstractCapability,
    AbstractNativeTool,
    NativeOrLocalTool,
    WrapperCapability,
    CombinedCapability,
    DynamicCapability,
)
TAKE_ALL = (Hooks, SetToolMetadata)
CONFIGURED = {
    f'{module.__name__}.{name}': value
    for module in (stead.capabilities, stead.native_tools, stead.output)
    for name in module.__all__
    if isinstance(value := getattr(module, name), type)
    and not hasattr(value, '__origin__')  # an alias such as `list[int]`, which is a class to Python 3.10
    and issubclass(value, BASES)
    and value not in ABSTRACT
    and value not in TAKE_ALL
}


def arguments(cls: type) -> list[str]:
    """Return the names of the arguments of a class that can be passed by name."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [name for name, parameter in inspect.signature(cls).parameters.items() if parameter.kind in kinds]


def test_there_are_many() -> None:
    assert len(CONFIGURED) >= 35


@pytest.mark.parametrize('cls', CONFIGURED.values(), ids=CONFIGURED)
def test_a_misspelt_argument_is_told_from_what_was_meant(cls: type) -> None:
    meant = max(arguments(cls), key=len)
    misspelt = meant[:2] + meant[3:]
    with pytest.raises(TypeError) as caught:
        cls(**{misspelt: None})
    assert str(caught.value).endswith(f'got an unexpected keyword argument {misspelt!r}. Did you mean {meant!r}?')


def test_another_error_of_a_constructor_stays_as_it_is() -> None:
    class Strict(AbstractCapability[None]):
        def __init__(self, level: int = 0) -> None:
            Thinking.__init__(self, 1, 2, 3)  # type: ignore[call-arg, arg-type]

    with pytest.raises(TypeError, match='takes from 1 to 2 positional arguments but 4 were given'):
        Strict()


def test_signatures_have_the_fields() -> None:
    assert list(inspect.signature(Thinking).parameters) == ['effort', 'id', 'description', 'defer_loading']
    assert Thinking.__init__.__name__ == '__init__'
