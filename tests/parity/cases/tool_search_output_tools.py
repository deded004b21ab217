"""Output tools do not belong to the search."""

from _disclosure import LOCAL, call, function, model, run, search
from pydantic_ai import Agent, ToolOutput

run(
    Agent(
        model(search('result'), [call('result', response=3)], **LOCAL),
        output_type=ToolOutput(int, name='result'),
        tools=[function('one', defer_loading=True)],
    )
)
