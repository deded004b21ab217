"""The errors of graphs."""

# TypeError      GraphSetupError            a node or graph is defined incorrectly
# ValueError     GraphBuildingError         a graph cannot be built from its parts
# ValueError     GraphValidationError       a graph was built, but its structure is invalid
# RuntimeError   GraphRuntimeError          a run of a graph went wrong
#                ├── GraphNodeStatusError       a stored node has run already
#                └── UnsupportedEventLoopError  `run_sync` was called where only `run` can be, a `UserError` as everywhere

from __future__ import annotations

from ..exceptions import UnsupportedEventLoopError

__all__ = (
    'GraphBuildingError',
    'GraphNodeStatusError',
    'GraphRuntimeError',
    'GraphSetupError',
    'GraphValidationError',
    'PydanticGraphDeprecationWarning',
    'UnsupportedEventLoopError',
)


class PydanticGraphDeprecationWarning(UserWarning):
    """A name or behaviour of graphs is deprecated: it still works, but will be removed."""


class GraphSetupError(TypeError):
    """A node or graph is defined incorrectly.

    Args:
        message: What is wrong and what to do about it.
    """

    message: str

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)


class GraphBuildingError(ValueError):
    """A graph cannot be built from its parts.

    Args:
        message: What is wrong and what to do about it.
    """

    message: str

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)


class GraphValidationError(ValueError):
    """A graph was built, but its structure is invalid.

    Args:
        message: What is wrong and what to do about it.
    """

    message: str

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)


class GraphRuntimeError(RuntimeError):
    """A run of a graph failed because of the graph, rather than in one of its nodes.

    Args:
        message: What is wrong and what to do about it.
    """

    message: str

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)


class GraphNodeStatusError(GraphRuntimeError):
    """A stored node has run, or is running, already.

    Args:
        actual_status: The status of its snapshot.
    """

    actual_status: str

    def __init__(self, actual_status: str):
        self.actual_status = actual_status
        super().__init__(
            f"The node's snapshot has status {actual_status!r}; only 'created' and 'pending' ones can be run. "
            'To run a node again, make a new instance of it.'
        )

    def __reduce__(self) -> tuple[type[GraphNodeStatusError], tuple[str]]:
        return type(self), (self.actual_status,)

    @classmethod
    def check(cls, status: str) -> None:
        """Check that a node may be run.

        Args:
            status: The status of its snapshot.

        Raises:
            GraphNodeStatusError: It has run, or is running, already.
        """
        if status not in ('created', 'pending'):
            raise cls(status)
