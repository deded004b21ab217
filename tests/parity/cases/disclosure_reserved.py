"""The names of the loader and of the search are taken only while there is something to load or to find."""

from _disclosure import LOCAL, capability, function, model, run, show
from pydantic_ai import Agent


def hidden():
    return function('hidden', defer_loading=True)


for label, name, rest in (
    ('loader', 'load_capability', {'capabilities': [capability('a')]}),
    ('no loader', 'load_capability', {}),
    ('search', 'search_tools', {}),
    ('no search', 'search_tools', {}),
):
    show(label)
    tools = [function(name)] + ([hidden()] if label == 'search' else [])
    run(Agent(model(**LOCAL), tools=tools, **rest))
