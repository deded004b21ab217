"""An agent whose module begins a thread when it is imported, so that its process must not be forked."""

from __future__ import annotations

import threading
from typing import Any

from stead import Agent
from tests.journal.agents import call, scripted, tools

threading.Thread(target=threading.Event().wait, daemon=True).start()


def agent() -> Agent[None, Any]:
    return Agent(scripted([call('pay', 'c1', amount=1)]), name='threaded', toolsets=[tools()])
