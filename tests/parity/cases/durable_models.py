"""Agents for DBOS and Prefect, and their models, where no server is needed."""
# needs: dbos, prefect

from __future__ import annotations

from pydantic_ai import Agent
from pydantic_ai.durable_exec.dbos import DBOSAgent, DBOSModel
from pydantic_ai.durable_exec.prefect import PrefectAgent, PrefectModel
from pydantic_ai.models.test import TestModel


def attempt(what: str, make) -> None:
    try:
        model = make()
    except Exception as error:
        print(what, type(error).__name__)
    else:
        print(what, type(model).__name__)


def main() -> None:
    for kind in (DBOSAgent, PrefectAgent):
        attempt(f'{kind.__name__} no name', lambda: kind(Agent(TestModel())))
        attempt(f'{kind.__name__} no model', lambda: kind(Agent(name='desk')))
        agent = kind(Agent(TestModel(), name=f'{kind.__name__}-1'), name=f'{kind.__name__}-2')
        print(agent.name, type(agent.model).__name__ != 'TestModel', agent.model.model_name, agent.model.system)
        attempt('rename', lambda: setattr(agent, 'name', 'other'))
        attempt('toolsets', lambda: list(agent.toolsets))
    for model in (
        DBOSModel(TestModel(), step_name_prefix='x', step_config={}),
        PrefectModel(TestModel(), task_config={}),
    ):
        print(model.model_name, model.system)


main()
