"""Settings of a deferred capability count from the request after its loading."""

from dataclasses import dataclass
from typing import Any

from _disclosure import LOCAL, load, model, run
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability


@dataclass
class SettingsAsValue(AbstractCapability[Any]):
    def get_model_settings(self):
        return {'temperature': 0.1, 'max_tokens': 5}


@dataclass
class PerStep(AbstractCapability[Any]):
    def get_model_settings(self):
        return lambda ctx: {'seed': ctx.run_step, 'temperature': (ctx.model_settings or {}).get('temperature', 1) + 1}


capabilities = [SettingsAsValue(id='fixed', defer_loading=True), PerStep(id='step', defer_loading=True)]
run(
    Agent(
        model(load('step'), load('fixed'), wire='settings', **LOCAL),
        model_settings={'top_p': 0.5},
        capabilities=capabilities,
    )
)
run(Agent(model(load('fixed'), wire='settings', **LOCAL), capabilities=capabilities), model_settings={'max_tokens': 7})
