"""A run with a tool call and a structured output, in every version of the data format."""

from _common import M, call, script
from _instrumentation import trace
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.usage import RequestUsage


def make(capabilities):
    agent = Agent(
        script(
            ModelResponse(
                parts=[TextPart('let me add'), call('add', {'a': 1, 'b': 2})],
                usage=RequestUsage(input_tokens=5, output_tokens=3),
            ),
            ModelResponse(parts=[call('final_result', {'n': 3})], usage=RequestUsage(input_tokens=9, output_tokens=4)),
        ),
        name='adder',
        instructions='Be brief.',
        system_prompt='Add.',
        output_type=M,
        metadata={'a': 1},
        description='It adds.',
        model_settings={
            'temperature': 0.5,
            'max_tokens': 7,
            'top_p': 0.1,
            'seed': 4,
            'presence_penalty': 0.2,
            'frequency_penalty': 0.3,
            'top_k': 3,
        },
        capabilities=capabilities,
    )

    @agent.tool_plain
    def add(a: int, b: int) -> int:
        """Add numbers."""
        return a + b

    return agent


for version in (1, 2, 3, 4, 5):
    trace(
        f'version {version}',
        make,
        'hi',
        settings={'version': version},
        conversation_id='one',
        without=('gen_ai.agent.call.id',),
    )
