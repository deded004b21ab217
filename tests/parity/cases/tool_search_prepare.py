"""Prepare hooks see deferred tools as such, found or not, and may show or hide them."""

from dataclasses import replace

from _disclosure import LOCAL, function, model, run, search, show
from pydantic_ai import Agent
from pydantic_ai.capabilities import PrepareTools


def look(ctx, tools):
    show('prepare', [[tool.name, tool.defer_loading] for tool in tools])
    return tools


def reveal(ctx, tools):
    return [replace(tool, defer_loading=False) if tool.name == 'one' else tool for tool in tools]


def hide(ctx, tools):
    return [replace(tool, defer_loading=True) if tool.name == 'plain' else tool for tool in tools]


def tools():
    return [function('one', defer_loading=True), function('two', defer_loading=True), function('plain')]


for act in (look, reveal, hide):
    run(Agent(model(search('two'), **LOCAL), tools=tools(), capabilities=[PrepareTools(act)]))
