"""Adapter for LangChain tools. LangChain itself is not imported: a program with such a tool has it installed."""

from __future__ import annotations

from typing import Any, Protocol

from .._contracts.run_context import AgentDepsT
from ..tools import Tool
from ..toolsets import FunctionToolset


class LangChainTool(Protocol):
    """The part of a LangChain tool that is used here."""

    @property
    def name(self) -> str:
        """The name."""
        ...

    @property
    def description(self) -> str:
        """The description."""
        ...

    @property
    def args(self) -> dict[str, dict[str, Any]]:
        """The JSON schemas of the arguments, by name."""
        ...

    def get_input_jsonschema(self) -> dict[str, Any]:
        """Return the JSON schema of all arguments."""
        ...

    def run(self, *args: Any, **kwargs: Any) -> str:
        """Call the tool."""
        ...


def tool_from_langchain(langchain_tool: LangChainTool) -> Tool:
    """Return a tool that calls a LangChain tool.

    Args:
        langchain_tool: The tool. Arguments that the model leaves out get their defaults from its schema.
    """
    required = {name for name, schema in langchain_tool.args.items() if 'default' not in schema}
    defaults = {name: schema['default'] for name, schema in langchain_tool.args.items() if name not in required}
    schema = {'additionalProperties': False, **langchain_tool.get_input_jsonschema()}
    if required:
        schema.setdefault('required', sorted(required))

    def call(**arguments: Any) -> str:
        return langchain_tool.run({**defaults, **arguments})

    return Tool.from_schema(call, langchain_tool.name, langchain_tool.description, schema)


class LangChainToolset(FunctionToolset[AgentDepsT]):
    """A toolset of LangChain tools."""

    def __init__(self, tools: list[LangChainTool], *, id: str | None = None) -> None:
        """Create a toolset.

        Args:
            tools: The tools.
            id: An id for the toolset.
        """
        super().__init__([tool_from_langchain(tool) for tool in tools], id=id)


__all__ = ('LangChainToolset', 'tool_from_langchain')
