"""Clients of the Vercel AI SDK for the scripts of conversations, in both versions."""

import json

from _ui_talk import Client
from pydantic_ai.ui.vercel_ai import VercelAIAdapter


class VercelClient(Client):
    """What `useChat` does: chunks become parts of a message."""

    hidden = ('type', 'messageMetadata')
    version = 5

    def __init__(self, script):
        super().__init__(script)
        self.parts, self.trigger = None, {'trigger': 'submit-message'}

    def user(self, content):
        parts = [{'type': 'text', 'text': content}] if isinstance(content, str) else content
        self.messages.append({'id': self.id(), 'role': 'user', 'parts': parts})

    def tool_parts(self):
        return [part for part in self.messages[-1]['parts'] if part['type'].startswith('tool-')]

    def answer(self, *answers):
        """Answer the questions about calls that wait."""
        requests = [part for part in self.tool_parts() if part['state'] == 'approval-requested']
        for part, answer in zip(requests, answers):
            part['state'] = 'approval-responded'
            part['approval'] = {**part['approval'], **answer}

    def adapter(self):
        if self.messages and self.messages[-1]['role'] == 'assistant':  # it continues with the message
            self.parts = self.messages[-1]['parts']
        else:
            self.parts = None
        data = {'id': 'chat', 'messages': self.messages, **self.trigger}
        run_input = VercelAIAdapter.build_run_input(json.dumps(data).encode())
        return VercelAIAdapter(self.agent, run_input, sdk_version=self.version, **self.script.fields)

    def data(self, adapter, event):
        text = adapter.encode_event(event) if hasattr(adapter, 'encode_event') else None
        text = text or adapter.build_event_stream().encode_event(event)
        body = text.strip().removeprefix('data: ')
        return {'type': 'DONE'} if body == '[DONE]' else json.loads(body)

    def take(self, data):
        kind = data['type']
        if self.parts is None:
            self.parts = []
            self.messages.append({'id': self.id(), 'role': 'assistant', 'parts': self.parts})
        sealed = {'providerMetadata': data['providerMetadata']} if data.get('providerMetadata') else {}
        if kind == 'start-step':
            self.parts.append({'type': 'step-start'})
        elif kind in ('text-start', 'reasoning-start'):
            self.parts.append({'type': kind.partition('-')[0], 'text': '', 'id': data['id'], **sealed})
        elif kind in ('text-delta', 'reasoning-delta', 'text-end', 'reasoning-end'):
            [part] = [part for part in self.parts[::-1] if part.get('id') == data['id']][:1]
            part['text'] += data.get('delta', '')
            part.update(sealed)
        elif kind == 'file':
            self.parts.append({'type': 'file', 'url': data['url'], 'mediaType': data['mediaType']})
        elif kind.startswith('tool-'):
            self.take_tool(kind, data, sealed.get('providerMetadata'))

    def take_tool(self, kind, data, sealed):
        id = data['toolCallId']
        found = [part for part in self.parts if part.get('toolCallId') == id]
        if found:
            part = found[-1]
        else:
            self.parts.append({'type': f'tool-{data["toolName"]}', 'toolCallId': id})
            part = self.parts[-1]
        if sealed:
            part['callProviderMetadata'] = sealed
        if data.get('providerExecuted'):
            part['providerExecuted'] = True
        if kind == 'tool-input-start':
            part['state'] = 'input-streaming'
        elif kind == 'tool-input-available':
            part.update(state='input-available', input=data['input'])
        elif kind == 'tool-input-error':
            part.update(state='output-error', input=data['input'], errorText=data['errorText'])
        elif kind == 'tool-output-available':
            part.update(state='output-available', output=data['output'])
        elif kind == 'tool-output-error':
            part.update(state='output-error', errorText=data['errorText'])
        elif kind == 'tool-output-denied':
            part.update(state='output-denied')
        elif kind == 'tool-approval-request':
            part.update(state='approval-requested', approval={'id': data['approvalId']})

    def done(self):
        for message in self.messages:
            for part in message['parts'] if message['role'] == 'assistant' else ():
                part.pop('id', None)
        self.parts = None


class VercelClient6(VercelClient):
    """The same with version 6, which knows approvals."""

    version = 6
