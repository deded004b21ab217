"""The loopback servers of vendors, and what they answer, are those of `tests/models_wire`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / 'models_wire'))
