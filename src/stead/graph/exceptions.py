"""The errors of graphs."""

# TypeError      GraphSetupError            a node or graph is defined wrongly
# ValueError     GraphBuildingError         a graph cannot be put together from its pieces
# ValueError     GraphValidationError       a graph that was put together makes no sense
# RuntimeError   GraphRuntimeError          a run of a graph went wrong
#                └── GraphNodeStatusError       a stored node was run already

from __future__ import annotations

__all__ = (
    'GraphBuildingError',
    'GraphNodeStatusError',
    'GraphRuntimeError',
    'GraphSetupError',
    'GraphValidationError',
    'PydanticGraphDeprecationWarning',
)


class PydanticGraphDeprecationWarning(UserWarning):
    """Say that a name or behaviour of graphs still works but will be removed."""


class GraphSetupError(TypeError):
    """Report a node or graph that is defined wrongly.

    Args:
        message: What is wrong and what to do about it.
    """

    message: str

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)


class GraphBuildingError(ValueError):
    """Report a graph that cannot be put together.

    Args:
        message: What is wrong and what to do about it.
    """

    message: str

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)


class GraphValidationError(ValueError):
    """Report a graph that makes no sense as it was put together.

    Args:
        message: What is wrong and what to do about it.
    """

    message: str

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)


class GraphRuntimeError(RuntimeError):
    """Report a run that went wrong by the graph's own rules.

    Args:
        message: What is wrong and what to do about it.
    """

    message: str

    def __init__(self, message: str):
        self.message = message
        super().__init__(message)


class GraphNodeStatusError(GraphRuntimeError):
    """Report that a stored node was run, or is being run, already.

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
            GraphNodeStatusError: It was run, or is being run, already.
        """
        if status not in ('created', 'pending'):
            raise cls(status)
