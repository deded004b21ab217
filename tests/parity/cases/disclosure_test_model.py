"""`TestModel` loads what it can, and calls the search."""

from _disclosure import capability, function, names, run, show
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

for capabilities in ([capability('a', 'one')], [capability('a')]):
    chosen = TestModel()
    run(Agent(chosen, capabilities=capabilities, tools=[function('plain')]))
    sent = chosen.last_model_request_parameters
    show('sent', [names(sent.function_tools), len(sent.native_tools)])
