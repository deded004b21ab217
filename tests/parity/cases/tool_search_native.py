"""The strategies `bm25` and `regex` on a model with a native search."""

from _disclosure import function, model, run
from pydantic_ai import Agent
from pydantic_ai.capabilities import ToolSearch


def tools():
    return [function('weather_now', 'Current weather.', defer_loading=True), function('plain')]


for strategy in ('bm25', 'regex'):
    run(Agent(model(), tools=tools(), capabilities=[ToolSearch(strategy=strategy)]))
