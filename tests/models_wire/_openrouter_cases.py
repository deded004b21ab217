"""OpenRouter: its settings, reasoning, cache points and errors; see `record.py`."""

from __future__ import annotations

import _openrouter_answers_cases as answers
import _openrouter_requests_cases as requests
from _compatible import Cases, client_of

cases = Cases()
cases.join(requests.cases, answers.cases)

run = cases.run
__all__ = ('cases', 'client_of', 'run')
