"""Model settings of capabilities: static ones, functions, their order beside those of agent, model and run."""

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability, CombinedCapability, Thinking
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

seen = []


class Sets(AbstractCapability):
    def __init__(self, settings):
        self.settings = settings

    def get_model_settings(self):
        return self.settings


def respond(messages, info):
    seen.append(dict(info.model_settings or {}))
    return ModelResponse(
        parts=[ToolCallPart('step', {}, f'c{len(messages)}') if len(messages) < 3 else TextPart('done')]
    )


def noting(**fields):
    def settings(ctx):
        seen.append(['asked', ctx.run_step, dict(ctx.model_settings or {})])
        return {**fields, 'seed': ctx.run_step}

    return settings


def show(label, capabilities, of_agent=None, of_model=None, of_run=None, **options):
    seen.clear()
    agent = Agent(FunctionModel(respond, settings=of_model), model_settings=of_agent, capabilities=capabilities)
    agent.tool_plain(lambda: 1, name='step')
    try:
        agent.run_sync('hi', capabilities=of_run, **options)
        print(label, seen)
    except Exception as error:
        print(label, type(error).__name__, seen)


show('one', [Sets({'temperature': 0.1})])
show('two', [Sets({'temperature': 0.1, 'top_p': 0.2}), Sets({'temperature': 0.3})])
show('agent', [Sets({'temperature': 0.1})], {'temperature': 0.5, 'max_tokens': 7})
show('model', [Sets({'temperature': 0.1})], None, {'temperature': 0.6, 'seed': 3})
show('run', [Sets({'temperature': 0.1, 'top_p': 0.2})], {'top_p': 0.3}, model_settings={'temperature': 0.9})
show('function', [Sets(noting(temperature=0.1))], {'max_tokens': 7})
show('two functions', [Sets(noting(temperature=0.1)), Sets(noting(top_p=0.2)), Sets({'seed': 99})])
show('functions of all', [Sets(noting(top_p=0.2))], noting(max_tokens=1), model_settings=noting(temperature=0.4))
show('none', [Sets(None), Sets(lambda ctx: None), Sets({})])
show('nested dictionaries', [Sets({'extra_body': {'a': 1, 'b': {'c': 2}}}), Sets({'extra_body': {'b': {'d': 3}}})])
show(
    'headers',
    [Sets({'extra_headers': {'a': '1'}})],
    {'extra_headers': {'b': '2'}},
    model_settings={'extra_headers': {'a': '3'}},
)
show('of the run', [Sets({'seed': 1})], {'top_p': 0.3}, of_run=[Sets({'seed': 2, 'top_p': 0.4})])
show('dynamic', [lambda ctx: Sets({'seed': 5})], {'seed': 6})
show('combined', [CombinedCapability([Sets({'seed': 5}), Sets({'seed': 6, 'top_k': 1})])])
show('thinking', [Thinking()])
show('thinking high', [Thinking(effort='high')], {'temperature': 1})
show('thinking off', [Thinking(effort=False)])
show('thinking twice', [Thinking(effort='low'), Thinking(effort='high')], model_settings={'thinking': 'medium'})
