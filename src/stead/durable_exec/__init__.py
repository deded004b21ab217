"""Runs on an engine that outlives processes: one module for each engine, over shared code; begin with `_engine.py`."""

from .._kit.lazy import lazy_modules
from ._agent import DurableAgent
from ._durable import Durable
from ._engine import DurableStep, StepEngine, StepInDoubt
from ._handover import RunHandedOver, RunSoFar
from ._here import HereEngine

__all__ = (
    'Durable',
    'DurableAgent',
    'DurableStep',
    'HereEngine',
    'RunHandedOver',
    'RunSoFar',
    'StepEngine',
    'StepInDoubt',
)

lazy_modules(__name__)
