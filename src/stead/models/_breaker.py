"""`CircuitBreaker`: models that fail again and again are left alone for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from .._kit.short import short_repr
from ..exceptions import ModelAPIError, ModelHTTPError, UserError
from ._base import Model

_OF_THE_SERVER = frozenset({408, 425, 429})
"""Statuses below 500 that say nothing about the request."""


class CircuitBreaker:
    """Remembers which models fail, for all runs and all `FallbackModel`s that share it, in any thread of a process.

    A model that failed some times in a row is asked after the others for a while. Then one request tries it: if that succeeds,
    it has its place again. Models are known by their `model_id`.
    """

    def __init__(self, failures: int = 3, seconds: float = 30.0) -> None:
        """Make one.

        Args:
            failures: After how many failures in a row a model is left alone.
            seconds: For how long. If the server says when to come back (`retry_after`), and that is later, until then.

        Raises:
            UserError: A number is not above zero.
        """
        for name, value in (('failures', failures), ('seconds', seconds)):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:  # pyright: ignore[reportUnnecessaryIsInstance]
                raise UserError(f'`{name}` of a `CircuitBreaker` is a number above zero, not {short_repr(value)}.')
        self.failures: int = failures
        self.seconds: float = seconds
        self._failed: dict[str, int] = {}
        self._until: dict[str, float] = {}
        self._lock = threading.Lock()

    def in_order(self, models: Sequence[Model]) -> list[Model]:
        """Return models in the order in which to ask them: those that are left alone come last, as a last resort.

        Of a model whose time is up, this is the try: others leave it alone until its end is known, or for as long again.
        """
        left: list[Model] = []
        with self._lock:
            now = time.monotonic()
            for model in models:
                until = self._until.get(model.model_id)
                if until is not None and until > now:
                    left.append(model)
                elif until is not None:
                    self._until[model.model_id] = now + self.seconds
        return [*(model for model in models if all(model is not one for one in left)), *left]

    def is_open(self, model: Model) -> bool:
        """Return whether a model is left alone now."""
        return self._until.get(model.model_id, 0.0) > time.monotonic()

    def failed(self, model: Model, error: Exception) -> None:
        """Note that a model has failed; errors that a request of another content would not meet do not count."""
        if not isinstance(error, ModelAPIError) or (
            isinstance(error, ModelHTTPError) and error.status_code < 500 and error.status_code not in _OF_THE_SERVER
        ):
            return
        name, wait = model.model_id, max(self.seconds, getattr(error, 'retry_after', None) or 0.0)
        with self._lock:
            self._failed[name] = self._failed.get(name, 0) + 1
            if self._failed[name] >= self.failures:
                self._until[name] = time.monotonic() + wait

    def answered(self, model: Model) -> None:
        """Note that a model has answered."""
        with self._lock:
            self._failed.pop(model.model_id, None)
            self._until.pop(model.model_id, None)
