"""The modules beside the tests are imported by their names, as the recording script does it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
