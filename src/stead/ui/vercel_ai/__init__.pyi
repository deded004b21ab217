"""The public names of `stead.ui.vercel_ai`, for type checkers. Written by `make stubs`."""

from ._adapter import VercelAIAdapter as VercelAIAdapter
from ._event_stream import VercelAIEventStream as VercelAIEventStream
