"""Features that are a server: interfaces, other programs and the inspector use an agent over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.routing import Route

from stead import DeferredToolRequests
from stead.ui._pages._inspector import create_inspector
from stead.ui.a2a import agent_to_a2a
from stead.ui.ag_ui import AGUIAdapter
from stead.ui.vercel_ai import VercelAIAdapter

from .program import Program
from .ways import Way, without_limits


@asynccontextmanager
async def client_of(app: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of an application."""
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url='http://localhost', timeout=30) as client,
    ):
        yield client


def events_of(text: str) -> list[dict[str, Any]]:
    """Return the events in a body."""
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith('data: {')]


class Interface(Way):
    """A front end that keeps the conversation, and sends all of it each time."""

    adapter: Any
    options: dict[str, Any]

    async def drive(self, program: Program, order: int) -> None:
        """Hold a session as an interface would."""

        async def respond(request: Any) -> Any:
            options = {**program.run_options, **self.options}
            return await self.adapter.dispatch_request(request, agent=program.agent, **options)

        async with client_of(Starlette(routes=[Route('/', respond, methods=['POST'])])) as client:
            messages: list[dict[str, Any]] = []
            for prompt in program.sessions(order):
                messages.append(self.user_message(prompt, len(messages)))
                answer = await self.send(client, order, messages)
                if waiting := self.waiting(answer):
                    assert not program.ran('pay', order) or program.prompts > 1
                    program.note('decided', order)
                    answer = await self.send(client, order, messages, waiting)
                assert not [event for event in answer if 'error' in event['type'].lower()], answer
                program.answered(order, self.answered(answer))

    def user_message(self, prompt: str, number: int) -> dict[str, Any]:
        raise NotImplementedError

    async def send(
        self, client: Any, order: int, messages: Any, waiting: Any = (), tools: Any = ()
    ) -> list[dict[str, Any]]:
        raise NotImplementedError

    def waiting(self, events: list[dict[str, Any]]) -> Any:
        raise NotImplementedError

    def answered(self, events: list[dict[str, Any]]) -> Any:
        raise NotImplementedError


class AGUI(Interface):
    """AG-UI: an interface that keeps the conversation, and answers interrupts."""

    title, page = 'AG-UI', 'front-ends.md#ag-ui'
    adapter, options = AGUIAdapter, {'ag_ui_version': '1.0'}

    def user_message(self, prompt: str, number: int) -> dict[str, Any]:
        return {'id': f'm{number}', 'role': 'user', 'content': prompt}

    async def send(
        self, client: Any, order: int, messages: Any, waiting: Any = (), tools: Any = ()
    ) -> list[dict[str, Any]]:
        answers = [{'interruptId': one['id'], 'status': 'resolved', 'payload': {'approved': True}} for one in waiting]
        body: dict[str, Any] = {
            'threadId': f'talk-{order}',
            'runId': f'run-{order}-{len(messages)}',
            'state': None,
            'messages': messages,
            'tools': [*tools],
            'context': [],
            'forwardedProps': None,
            **({'resume': answers} if answers else {}),
        }
        events = events_of((await client.post('/', json=body)).text)
        assert (events[0]['type'], events[-1]['type']) == ('RUN_STARTED', 'RUN_FINISHED'), events
        text = ''.join(event['delta'] for event in events if event['type'] == 'TEXT_MESSAGE_CONTENT')
        for event in events:
            if event['type'] == 'TOOL_CALL_START':
                args = ''.join(
                    one['delta']
                    for one in events
                    if one['type'] == 'TOOL_CALL_ARGS' and one['toolCallId'] == event['toolCallId']
                )
                function = {'name': event['toolCallName'], 'arguments': args}
                call = {'id': event['toolCallId'], 'type': 'function', 'function': function}
                messages.append({'id': f'm{len(messages)}', 'role': 'assistant', 'toolCalls': [call]})
            elif event['type'] == 'TOOL_CALL_RESULT':
                result = {'role': 'tool', 'toolCallId': event['toolCallId'], 'content': event['content']}
                messages.append({'id': f'm{len(messages)}', **result})
        if text:
            messages.append({'id': f'm{len(messages)}', 'role': 'assistant', 'content': text})
        return events

    def waiting(self, events: list[dict[str, Any]]) -> Any:
        return (events[-1].get('outcome') or {}).get('interrupts')

    def answered(self, events: list[dict[str, Any]]) -> Any:
        text = [event['delta'] for event in events if event['type'] == 'TEXT_MESSAGE_CONTENT']
        assert not text or len(text) > 1, 'the text came in pieces'
        return ''.join(text) or ''.join(
            event['delta'] for event in events if event['type'] == 'TOOL_CALL_ARGS' and 'end-' in event['toolCallId']
        )


class AISDK(Interface):
    """AI SDK: an interface that keeps the conversation, and answers requests for approvals."""

    title, page = 'AI SDK', 'front-ends.md'
    adapter, options = VercelAIAdapter, {'sdk_version': 6}

    def user_message(self, prompt: str, number: int) -> dict[str, Any]:
        return {'id': f'm{number}', 'role': 'user', 'parts': [{'type': 'text', 'text': prompt}]}

    async def send(
        self, client: Any, order: int, messages: Any, waiting: Any = (), tools: Any = ()
    ) -> list[dict[str, Any]]:
        if waiting:
            for part in messages[-1]['parts']:
                for one in waiting:
                    if part.get('toolCallId') == one['toolCallId']:
                        part.update(state='approval-responded', approval={'id': one['approvalId'], 'approved': True})
        body = {'id': f'talk-{order}', 'trigger': 'submit-message', 'messages': messages}
        events = events_of((await client.post('/', json=body)).text)
        assert (events[0]['type'], events[-1]['type']) == ('start', 'finish'), events
        parts: list[dict[str, Any]] = messages.pop()['parts'] if messages[-1]['role'] == 'assistant' else []
        known = {part['toolCallId']: part for part in parts if 'toolCallId' in part}
        for event in events:
            call = event.get('toolCallId', '')
            if event['type'] == 'start-step':
                parts.append({'type': 'step-start'})
            elif event['type'] == 'tool-input-available':
                part = {'type': f'tool-{event["toolName"]}', 'toolCallId': call, 'input': event['input']}
                if call not in known:
                    parts.append(known.setdefault(call, {}))
                known[call].update(part, state='input-available')
            elif event['type'] == 'tool-output-available':
                known[call].update(state='output-available', output=event['output'])
            elif event['type'] == 'tool-approval-request':
                known[call].update(state='approval-requested', approval={'id': event['approvalId']})
        if text := self._text(events):
            parts.append({'type': 'text', 'text': text})
        messages.append({'id': f'm{len(messages)}', 'role': 'assistant', 'parts': parts})
        return events

    def _text(self, events: list[dict[str, Any]]) -> str:
        return ''.join(event['delta'] for event in events if event['type'] == 'text-delta')

    def waiting(self, events: list[dict[str, Any]]) -> Any:
        return [event for event in events if event['type'] == 'tool-approval-request']

    def answered(self, events: list[dict[str, Any]]) -> Any:
        ends = [
            event['input']
            for event in events
            if event['type'] == 'tool-input-available' and 'end-' in event['toolCallId']
        ]
        assert len([event for event in events if event['type'] == 'text-delta']) != 1, 'the text came in pieces'
        return self._text(events) or ends[-1]


class A2A(Way):
    """A2A: the agent is a server, and another program its client."""

    title, page = 'A2A', 'a2a.md'

    async def drive(self, program: Program, order: int) -> None:
        """Send tasks of one context."""
        app = agent_to_a2a(program.agent, **program.run_options)
        context: dict[str, str] = {}
        async with client_of(app) as client:

            async def call(method: str, **params: Any) -> Any:
                body = {'jsonrpc': '2.0', 'id': '1', 'method': method, 'params': params}
                answer = (await client.post('/', json=body)).json()
                return answer['result']

            async def say(number: int, part: dict[str, Any]) -> Any:
                message = {'role': 'user', 'parts': [part], 'messageId': f'm{number}', **context}
                task = await call('message/send', message=message, configuration={'acceptedOutputModes': []})
                task = task.get('task', task)
                while task['status']['state'] in ('submitted', 'working'):
                    await asyncio.sleep(0.001)
                    task = await call('tasks/get', id=task['id'])
                assert task['status']['state'] in ('completed', 'input-required'), task
                return task

            for number, prompt in enumerate(program.sessions(order)):
                task = await say(number, {'text': prompt})
                context = {'contextId': task['contextId']}
                if task['status']['state'] == 'input-required':
                    (asked,) = [part['data'] for part in task['history'][-1]['parts'] if 'data' in part]
                    program.decide(DeferredToolRequests(), order)
                    task = await say(number, {'data': {'approvals': {one['id']: True for one in asked['approvals']}}})
                (part,) = task['artifacts'][-1]['parts']
                program.answered(order, part['data']['result'] if 'data' in part else part['text'])


class Inspected(Way):
    """The inspector: it shows the runs of a journal, decides for them and continues them."""

    title, page = 'inspector', 'inspector.md'

    def add(self, program: Program) -> None:
        """Record runs, which it shows."""
        program.has_journal = True

    async def answer(self, program: Program, history: Any, results: Any) -> tuple[Any, Any]:
        """Decide in the inspector, which continues the run."""
        async with self._page(program) as page:
            (run,) = (await page.get('runs', params={'status': 'waiting'})).json()['runs']
            trace = (await page.get(f'runs/{run["id"]}')).json()
            (place,) = await program.open_journal().waiting()
            decisions = [{'id': call_id, 'action': 'allow'} for call_id in results.approvals]
            assert trace['waiting']
            answer = await page.post(f'runs/{place.run.run_id}/answer', json={'decisions': decisions})
            assert answer.status_code == 200, answer.text
            while (trace := (await page.get(f'runs/{run["id"]}')).json())['run']['status'] in (
                'waiting',
                'running',
                'answered',  # for a moment, before it is continued
            ):
                assert trace['failure'] is None, trace['failure']
                await asyncio.sleep(0.005)
            assert trace['run']['status'] == 'done', trace
            result = await program.open_journal().resume(program.agent, run['id'], **without_limits(program))
            return result.output, result.all_messages()

    @asynccontextmanager
    async def _page(self, program: Program) -> AsyncIterator[httpx.AsyncClient]:
        options = {'agent': program.agent, 'deps': program.run_options.get('deps'), 'may_change': True}
        async with client_of(create_inspector(program.open_journal(), **options)) as client:
            client.base_url = 'http://localhost/api/inspect/'
            yield client

    async def look(self, program: Program, order: int) -> None:
        """See that the run is shown as done, with its steps and calls."""
        async with self._page(program) as page:
            runs = (await page.get('runs')).json()['runs']
            runs = [run for run in runs if str(order) in run['prompt']]
            assert [run['status'] for run in runs] == ['done'] * program.prompts, runs
            for run in runs:
                trace = (await page.get(f'runs/{run["id"]}')).json()
                called = [
                    call['tool']
                    for step in trace['steps']
                    for call in step['calls']
                    if 'final_result' not in call['tool']
                ]
                assert called == [name for name, _ in program.calls]
                assert {call['outcome'] for step in trace['steps'] for call in step['calls']} == {'success'}
