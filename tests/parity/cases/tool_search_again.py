"""What was found is not found again, and stays."""

from _disclosure import LOCAL, call, function, model, run, search
from pydantic_ai import Agent


def tools():
    return [
        function('paint_red', defer_loading=True),
        function('bake', 'Bakes bread.', defer_loading=True),
        function('plain'),
    ]


run(
    Agent(
        model(
            search('red', call_id='1'),
            search('red', call_id='2'),
            search('bread', call_id='3'),
            [call('paint_red', x=1), call('bake', x=1)],
            **LOCAL,
        ),
        tools=tools(),
    )
)
