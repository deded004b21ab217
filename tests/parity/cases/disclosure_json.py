"""How loading is stored: parts, kinds and contents in JSON."""

from _disclosure import LOCAL, capability, load, model, show
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessagesTypeAdapter

result = Agent(model(load('a'), wire=None, **LOCAL), capabilities=[capability('a', 'one')]).run_sync('go')
for message in ModelMessagesTypeAdapter.dump_python(result.all_messages(), mode='json'):
    for item in message['parts']:
        show(message['kind'], {name: value for name, value in sorted(item.items()) if name != 'timestamp'})
