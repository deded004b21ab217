"""Errors of graphs."""

from __future__ import annotations


class GraphSetupError(TypeError):
    """A graph or node is defined wrongly."""

    message: str
    """What is wrong."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class GraphBuildingError(ValueError):
    """A graph cannot be built from its pieces."""

    message: str
    """What is wrong."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class GraphValidationError(ValueError):
    """A graph that was built is not valid."""

    message: str
    """What is wrong."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class GraphRuntimeError(RuntimeError):
    """A run of a graph went wrong."""

    message: str
    """What is wrong."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class GraphNodeStatusError(GraphRuntimeError):
    """A stored node is not in a state in which it can be run."""

    actual_status: str
    """The state it is in."""

    def __init__(self, actual_status: str) -> None:
        self.actual_status = actual_status
        super().__init__(
            f"Incorrect snapshot status {actual_status!r}, must be 'created' or 'pending': the node was run already."
        )

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return type(self), (self.actual_status,)

    @classmethod
    def check(cls, status: str) -> None:
        """Raise if a node of this status cannot be run."""
        if status not in ('created', 'pending'):
            raise cls(status)
