"""A search names the tools that it has found; their descriptions are with the tools. Histories with either form are read."""

from _programs import call, in_short, out, script
from pydantic_ai import Agent
from pydantic_ai.capabilities import ToolSearch
from pydantic_ai.messages import ModelMessagesTypeAdapter

seen = []
steps = [call('search_tools', {'queries': ['weather']})], [call('weather')], 'done'
agent = Agent(script(*steps, seen=seen), capabilities=[ToolSearch()], retries=2)


@agent.tool_plain(defer_loading=True)
def weather() -> str:
    """The weather today."""
    return 'sun'


@agent.tool_plain
def other() -> str:
    return 'o'


result = agent.run_sync('x')
out(in_short(result.all_messages()))
for match in ({'name': 'weather'}, {'name': 'weather', 'description': 'd'}):
    searched = ModelMessagesTypeAdapter.dump_python(result.all_messages()[:3], mode='json')
    searched[2]['parts'][0]['content'] = {'discovered_tools': [match]}
    history = ModelMessagesTypeAdapter.validate_python(searched)
    out(type(history[2].parts[0]).__name__, history[2].parts[0].content)
    seen.clear()
    result = agent.run_sync(message_history=history)
    out(sorted(tool.name for tool in seen[0][1].function_tools), result.output)
