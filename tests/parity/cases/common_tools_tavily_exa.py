"""The tools for Tavily and Exa: what models read of them, what clients are asked, and what comes back."""

from types import SimpleNamespace

from _common import fact
from pydantic_ai import Agent
from pydantic_ai.common_tools.exa import (
    exa_answer_tool,
    exa_find_similar_tool,
    exa_get_contents_tool,
    exa_search_tool,
)
from pydantic_ai.common_tools.tavily import tavily_search_tool
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


class Tavily:
    async def search(self, *args, **kwargs):
        fact('asked', [args, kwargs])
        first = {'title': 'T', 'url': 'u', 'content': 'c', 'score': 0.5, 'raw_content': None}
        return {'query': 'q', 'results': [first, {**first, 'title': 'T2'}]}


class Exa:
    def __getattr__(self, name):
        async def ask(*args, **kwargs):
            fact(name, [args, kwargs])
            full = SimpleNamespace(title='T', url='u', published_date='d', author='a', text='x', score=1, id='i')
            bare = SimpleNamespace(title=None, url='v', published_date=None, author=None, text=None, score=None, id='j')
            if name == 'answer':
                return SimpleNamespace(answer='A', citations=[full, bare])
            return SimpleNamespace(results=[full, bare])

        return ask


def use(tool, *calls):
    def respond(messages, info):
        if len(messages) > 1:
            for part in messages[-1].parts:
                fact(part.part_kind, part.content)
            return ModelResponse(parts=[TextPart('done')])
        for definition in info.function_tools:
            fact(definition.name, [definition.description, definition.parameters_json_schema])
        return ModelResponse(parts=[ToolCallPart(tool.name, args) for args in calls])

    Agent(FunctionModel(respond), tools=[tool]).run_sync('go')


tavily, exa = Tavily(), Exa()
narrow = {'search_depth': 'advanced', 'topic': 'news', 'time_range': 'week', 'include_domains': ['a.b']}
use(tavily_search_tool(client=tavily), {'query': 'hi'}, {'query': 'hi', **narrow}, {'query': 'hi', 'topic': 'gossip'})
use(tavily_search_tool(client=tavily, max_results=3, search_depth='fast'), {'query': 'hi', 'topic': 'finance'})
use(tavily_search_tool(client=tavily, **narrow, exclude_domains=None), {'query': 'hi'})
use(tavily_search_tool(client=tavily, include_domains=None, time_range=None), {'query': 'hi'})
use(exa_search_tool(client=exa), {'query': 'q'}, {'query': 'q', 'search_type': 'neural'})
use(exa_search_tool(client=exa, num_results=2, max_characters=9), {'query': 'q'})
use(exa_find_similar_tool(client=exa, num_results=2), {'url': 'q'}, {'url': 'q', 'exclude_source_domain': False})
use(exa_get_contents_tool(client=exa), {'urls': ['q', 'r']})
use(exa_answer_tool(client=exa), {'query': 'q'})
for make in (tavily_search_tool, exa_search_tool, exa_answer_tool):
    try:
        make()
    except ValueError:
        fact('neither key nor client', True)
