"""Programs in processes of their own, which tell what they load."""

from __future__ import annotations

import os
import subprocess
import sys


def run_program(code: str, *args: str) -> subprocess.CompletedProcess[str]:
    """Run a program without plugins of Pydantic: they load what they like, and Logfire brings one along."""
    environment = {**os.environ, 'PYDANTIC_DISABLE_PLUGINS': '__all__'}
    return subprocess.run([sys.executable, '-c', code, *args], capture_output=True, text=True, env=environment)
