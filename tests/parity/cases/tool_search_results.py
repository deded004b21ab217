"""Results: what is found, nothing, nothing asked, and at most so many."""

from _disclosure import LOCAL, function, model, run, search, show
from pydantic_ai import Agent
from pydantic_ai.capabilities import ToolSearch


def tools():
    return [function(f'paint_{name}', f'Paints {name}.', defer_loading=True) for name in ('red', 'green', 'blue')] + [
        function('bake', 'Bakes bread.', defer_loading=True)
    ]


for queries in (['green'], ['paint blue'], ['bread'], ['zebra'], [''], ['  '], ['!!'], [], ['zebra', 'red']):
    show('queries', queries)
    run(Agent(model(search(*queries), wire='last', **LOCAL), tools=tools()))
for most in (1, 2, 10):
    result = Agent(
        model(search('paint'), wire=None, **LOCAL), tools=tools(), capabilities=[ToolSearch(max_results=most)]
    ).run_sync('go')
    show(most, len(result.all_messages()[2].parts[0].discovered_tools))
