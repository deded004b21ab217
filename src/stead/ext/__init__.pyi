"""The public names of `stead.ext`, for type checkers. Written by `make stubs`."""

from .langchain import LangChainToolset as LangChainToolset, tool_from_langchain as tool_from_langchain
