"""What a search function receives, and what happens to what it returns."""

from _disclosure import LOCAL, call, function, model, run, search, show
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import ToolSearch


def tools():
    return [function(name, defer_loading=True) for name in ('one', 'two', 'three')] + [function('plain')]


def see(ctx, queries, tools):
    show(
        'asked',
        [
            list(queries),
            [[tool.name, tool.description, tool.defer_loading, tool.with_native] for tool in tools],
            ctx.run_step,
            ctx.tool_name,
        ],
    )
    return ['two', 'nobody', 'plain']


async def later(ctx, queries, tools):
    return [tool.name for tool in tools]


def refuse(ctx, queries, tools):
    raise ModelRetry('Ask again.')


for label, strategy in {
    'see': see,
    'later': later,
    'refuse': refuse,
    'nothing': lambda ctx, queries, tools: [],
}.items():
    show(label)
    run(
        Agent(
            model(search('x', 'y'), [call('two', x=1)], **LOCAL),
            tools=tools(),
            capabilities=[ToolSearch(strategy=strategy, max_results=2)],
        )
    )
show('nothing asked')
run(Agent(model(search(), **LOCAL), tools=tools(), capabilities=[ToolSearch(strategy=see)]))
