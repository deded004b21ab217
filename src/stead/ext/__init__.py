"""Tools of other libraries as tools of stead, one file each."""

from .langchain import LangChainToolset, tool_from_langchain

__all__ = ('LangChainToolset', 'tool_from_langchain')
