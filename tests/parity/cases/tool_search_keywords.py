"""The strategy `keywords` and functions are kept on models with a native search."""

from _disclosure import LOCAL, function, model, run, search
from pydantic_ai import Agent
from pydantic_ai.capabilities import ToolSearch


def tools():
    return [
        function('weather_now', 'Current weather.', defer_loading=True),
        function('send_mail', 'Send a letter.', defer_loading=True),
    ]


for strategy in ('keywords', lambda ctx, queries, tools: ['send_mail']):
    for options in ({}, LOCAL):
        for wire in ('names', 'definitions'):
            run(
                Agent(
                    model(search('weather'), wire=wire, **options),
                    tools=tools(),
                    capabilities=[ToolSearch(strategy=strategy)],
                )
            )
