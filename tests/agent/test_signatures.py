"""What `help`, editors and programs see of the functions that take options: every option, with a line about it."""

from __future__ import annotations

import ast
import copy
import inspect
import pydoc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stead import Agent
from stead.agent import AbstractAgent, EventOptions, OverrideOptions, RunOptions, StreamOptions, WrapperAgent
from stead.capabilities import Capability
from stead.toolsets import FunctionToolset
from stead.toolsets._options import ToolOptions

TAKING: list[tuple[Callable[..., object], Any]] = [
    (Agent.run, EventOptions),
    (Agent.run_sync, EventOptions),
    (Agent.iter, RunOptions),
    (Agent.run_stream, StreamOptions),
    (Agent.run_stream_sync, StreamOptions),
    (Agent.run_stream_events, RunOptions),
    (Agent.override, OverrideOptions),
    (Agent.tool, ToolOptions),
    (Agent.tool_plain, ToolOptions),
    (FunctionToolset.tool, ToolOptions),
    (FunctionToolset.tool_plain, ToolOptions),
    (Capability.tool, ToolOptions),
    (Capability.tool_plain, ToolOptions),
]
OF_ABSTRACT: list[tuple[Callable[..., object], Any]] = [
    (AbstractAgent.iter, RunOptions),
    (AbstractAgent.override, OverrideOptions),
    (WrapperAgent.iter, RunOptions),
    (WrapperAgent.override, OverrideOptions),
]


def name_of(value: object) -> str:
    return getattr(value, '__qualname__', '')


@pytest.mark.parametrize(('function', 'options'), [*TAKING, *OF_ABSTRACT], ids=name_of)
def test_every_option_is_a_parameter(function: Callable[..., object], options: Any) -> None:
    parameters = inspect.signature(function).parameters
    keys = set(options.__annotations__)
    assert keys <= parameters.keys()
    assert all(parameters[key].kind is inspect.Parameter.KEYWORD_ONLY for key in keys)
    assert all(parameters[key].default is not inspect.Parameter.empty for key in keys)
    assert not any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())


@pytest.mark.parametrize(('function', 'options'), TAKING, ids=name_of)
def test_every_parameter_has_a_line(function: Callable[..., object], options: Any) -> None:
    """In the docstring, or for tools in that of `Agent.tool`, which the others name.

    For the ways to run an agent it is in the stub, which editors read, and the docstring names the options.
    """
    text = pydoc.render_doc(function, renderer=pydoc.plaintext)
    if options is ToolOptions and function is not Agent.tool:
        assert 'options: As for `Agent.tool`' in text
        text = pydoc.render_doc(Agent.tool, renderer=pydoc.plaintext)
    if (stub := Path(inspect.getfile(inspect.unwrap(function))).with_suffix('.pyi')).exists():
        assert f'options: See `{options.__name__}`.' in text
        text = next(
            ast.get_docstring(node) or ''
            for node in ast.walk(ast.parse(stub.read_text(encoding='utf-8')))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function.__name__
        )
    described = {line.strip().partition(':')[0] for line in text.splitlines() if ': ' in line}
    assert inspect.signature(function).parameters.keys() - {'self'} <= described


def test_an_agent_has_few_base_classes() -> None:
    assert len(Agent.__mro__) <= 6


def test_a_bound_method_shows_the_same() -> None:
    whole, bound = inspect.signature(Agent.run), inspect.signature(Agent('test').run)
    assert list(bound.parameters) == list(whole.parameters)[1:]
    assert list(bound.parameters)[:3] == ['user_prompt', 'output_type', 'deps']
    assert bound.parameters['infer_name'].default is True
    assert inspect.signature(Agent.run_stream).parameters['until'].default == 'final-result'
    assert bound.return_annotation == 'AgentRunResult[Any]'


def test_a_signature_can_be_copied_compared_and_bound() -> None:
    signature = inspect.signature(Agent.run_sync)
    assert copy.deepcopy(signature) == signature == inspect.signature(Agent.run)
    assert signature.bind(None, 'x', deps=3).arguments['deps'] == 3
    with pytest.raises(TypeError, match="unexpected keyword argument 'dep'"):
        signature.bind(None, 'x', dep=3)
