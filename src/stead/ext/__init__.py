"""Adapters for tools of other libraries, one file for each library."""

from .langchain import LangChainToolset, tool_from_langchain

__all__ = ('LangChainToolset', 'tool_from_langchain')
