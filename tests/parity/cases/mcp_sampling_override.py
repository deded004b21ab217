"""The model of `set_mcp_sampling_model`: the one that holds where it is called, unless one is passed."""

import warnings

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPServerStdio
from pydantic_ai.models.test import TestModel

warnings.simplefilter('ignore')

MODELS = {name: TestModel(custom_output_text=name) for name in ('own', 'override', 'passed')}


def name_of(server: MCPServerStdio) -> str:
    return next((name for name, model in MODELS.items() if model is server.sampling_model), 'another')


for own in ('own', None):
    server = MCPServerStdio('x', [])
    agent = Agent(MODELS[own] if own else None, toolsets=[server])
    for override in (None, 'override') if own else (None,):
        for passed in (None, 'passed'):
            try:
                with agent.override(**({'model': MODELS[override]} if override else {})):
                    agent.set_mcp_sampling_model(*([MODELS[passed]] if passed else []))
                print('agent', own, 'override', override, 'passed', passed, '->', name_of(server))
            except Exception as error:
                print('agent', own, 'override', override, 'passed', passed, '->', type(error).__name__)
