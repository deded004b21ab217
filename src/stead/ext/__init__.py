"""Adapters for tools of other libraries, one file for each library."""

from .._kit.lazy import lazy_exports

# No module of this package is imported here: a thread that imports one waits for this one, and would be waited for.
__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        'langchain': ('LangChainToolset', 'tool_from_langchain'),
    },
)

__all__ = ('LangChainToolset', 'tool_from_langchain')
