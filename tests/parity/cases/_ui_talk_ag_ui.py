"""A client of AG-UI for the scripts of conversations."""

import json

from _ui_talk import Client
from pydantic_ai.ui.ag_ui import AGUIAdapter


class AGUIClient(Client):
    """What `@ag-ui/client` does: events become messages."""

    hidden = ('type', 'timestamp', 'threadId', 'runId', 'role')
    version = '0.1.15'

    def __init__(self, script):
        super().__init__(script)
        self.state = None
        self.extra = {}

    def user(self, content):
        self.messages.append({'id': self.id(), 'role': 'user', 'content': content})

    def result(self, id, content):
        """Answer a call of a tool of the interface."""
        self.messages.append({'id': self.id(), 'role': 'tool', 'toolCallId': id, 'content': content})

    def calls(self):
        return [call for message in self.messages for call in message.get('toolCalls', ())]

    def adapter(self):
        tools = [
            {'name': name, 'description': f'The tool {name}.', 'parameters': {'type': 'object', 'properties': {}}}
            for name in self.script.front
        ]
        body = {'threadId': 'th', 'runId': 'ru', 'state': self.state, 'tools': tools, 'context': []}
        data = {**body, 'forwardedProps': None, 'messages': self.messages, **self.extra}
        run_input = AGUIAdapter.build_run_input(json.dumps(data).encode())
        return AGUIAdapter(self.agent, run_input, ag_ui_version=self.version, **self.script.fields)

    def data(self, adapter, event):
        return json.loads(adapter.build_event_stream().encode_event(event).removeprefix('data: '))

    def message(self, id, role='assistant', **fields):
        for message in self.messages:
            if message['id'] == id and message['role'] == role:
                return message
        self.messages.append({'id': id, 'role': role, **fields})
        return self.messages[-1]

    def take(self, data):
        kind = data['type']
        if kind == 'TEXT_MESSAGE_START':
            self.message(data['messageId']).setdefault('content', '')
        elif kind == 'TEXT_MESSAGE_CONTENT':
            self.message(data['messageId'])['content'] += data['delta']
        elif kind == 'TOOL_CALL_START':
            message = self.message(data['parentMessageId'])
            function = {'name': data['toolCallName'], 'arguments': ''}
            message.setdefault('toolCalls', []).append(
                {'id': data['toolCallId'], 'type': 'function', 'function': function}
            )
        elif kind == 'TOOL_CALL_ARGS':
            [call] = [call for call in self.calls()[::-1] if call['id'] == data['toolCallId']][:1]
            call['function']['arguments'] += data['delta']
        elif kind == 'TOOL_CALL_RESULT':
            self.message(data['messageId'], 'tool', toolCallId=data['toolCallId'], content=data['content'])
        elif kind == 'REASONING_MESSAGE_START':
            self.message(data['messageId'], 'reasoning', content='')
        elif kind == 'REASONING_MESSAGE_CONTENT':
            self.message(data['messageId'], 'reasoning')['content'] += data['delta']
        elif kind == 'REASONING_ENCRYPTED_VALUE':
            self.message(data['entityId'], 'reasoning', content='')['encryptedValue'] = data['encryptedValue']

    def done(self):
        for message in self.messages:
            if message['role'] == 'assistant' and not message.get('content') and 'toolCalls' not in message:
                message['content'] = ''
