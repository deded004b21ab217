"""Deferred tools without a search of their own: native where the model has it, a function elsewhere."""

from _disclosure import LOCAL, call, function, model, run, search
from pydantic_ai import Agent


def tools():
    return [
        function('weather_now', 'Current weather.', defer_loading=True),
        function('send_mail', 'Send a letter.', defer_loading=True),
        function('plain'),
    ]


for options in ({}, LOCAL):
    for wire in ('names', 'definitions'):
        run(Agent(model(search('weather'), [call('weather_now', x=1)], wire=wire, **options), tools=tools()))
