"""What packages read and set of agents, old names of theirs, and the parts of the type of prompts."""

import asyncio
import typing
import warnings
from contextlib import asynccontextmanager

from _common import fact
from pydantic import TypeAdapter
from pydantic_ai import Agent
from pydantic_ai._utils import PeekableAsyncStream
from pydantic_ai.agent import WrapperAgent
from pydantic_ai.capabilities import CombinedCapability, Hooks
from pydantic_ai.messages import CachePoint, ImageUrl, TextContent, UserContent
from pydantic_ai.models.function import FunctionModel, FunctionStreamedResponse

warnings.simplefilter('ignore')
fact('parts', [getattr(part, '__name__', type(part).__name__) for part in typing.get_args(UserContent)])
values = TypeAdapter(list[UserContent])
contents = ['a', TextContent('b'), ImageUrl('https://a.example/b.png'), CachePoint()]
fact('loaded', [type(value).__name__ for value in values.validate_json(values.dump_json(contents))])
try:
    fact('without a kind', [type(value).__name__ for value in values.validate_json('[{"url": "u"}]')])
except ValueError as error:
    fact('without a kind', type(error).__name__)

agent = Agent('test', capabilities=[Hooks()], instructions='a')
fact('same', agent.root_capability is agent.root_capability)
fact('wrapped', WrapperAgent(agent).root_capability is agent.root_capability)
seen = []
hooks = Hooks()


@hooks.on.before_run
async def note(ctx):
    seen.append('began')


agent._root_capability = CombinedCapability([hooks])
agent._instructions = ['b']
result = agent.run_sync('go')
fact('set', [seen, result.all_messages()[0].instructions])


def first(messages):
    return messages


fact('processors', [function.__name__ for function in Agent('test', history_processors=[first]).history_processors])
fact('none', Agent('test').history_processors)


async def handle(ctx, events):
    pass


fact('from_spec', Agent.from_spec({'model': 'test'}, event_stream_handler=handle).event_stream_handler is handle)


class Upper(FunctionStreamedResponse):
    async def _get_event_iterator(self):
        source = self._iter

        async def one(item):
            yield item

        async for item in source:
            self._iter = one(item.upper())
            async for event in super()._get_event_iterator():
                yield event


class Shouting(FunctionModel):
    @asynccontextmanager
    async def request_stream(self, messages, model_settings, model_request_parameters, run_context=None):
        async def pieces():
            yield 'see '
            yield 'this'

        yield Upper(
            model_request_parameters=model_request_parameters,
            _model_name='m',
            _iter=PeekableAsyncStream(pieces()),
        )


async def stream(messages, info):
    yield 'unused'


async def main():
    async with Agent(Shouting(stream_function=stream)).run_stream('go') as result:
        fact('subclass', await result.get_output())


asyncio.run(main())
