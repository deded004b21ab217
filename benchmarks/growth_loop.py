"""One loop over a vendor's SDK, for `benchmarks/growth.py`, which starts this program in the environment to be measured.

    python growth_loop.py PACKAGE VENDOR STEPS

`PACKAGE` is `stead`, `pydantic_ai`, or `sdk` for a loop written by hand that calls the typed method of the SDK. A transport in
this process answers at once and without a look at the request, so what is measured is what the client's side costs. The model
calls a tool at each step, and the history grows. Prints the microseconds of CPU time a step.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

RESULT = 'x' * 200
"""What the tool returns."""
TOOL = {'type': 'object', 'properties': {'a': {'type': 'integer'}, 'b': {'type': 'integer'}}, 'required': ['a', 'b']}
Run = Callable[[int], Awaitable[None]]


class Answers:
    """A transport that calls the tool as often as it is asked to, and then says that it is done."""

    def __init__(self, sdk: str, answer: Callable[[int | None], Any]) -> None:
        if sdk == 'google.genai':
            import httpx

            self.http: Any = httpx
        else:
            base = importlib.import_module(f'{sdk}._base_client')
            self.http = getattr(base, 'httpx2', None) or base.httpx  # the newest releases have a library of their own
        self.answer = answer
        self.left = self.number = 0

    def client(self) -> Any:
        return self.http.AsyncClient(transport=self.http.MockTransport(self._handle))

    def _handle(self, request: Any) -> Any:
        self.number += 1
        self.left -= 1
        return self.http.Response(200, json=self.answer(self.number if self.left >= 0 else None))


def openai_answer(number: int | None) -> Any:
    message: Any = {'role': 'assistant', 'content': 'done'}
    if number is not None:
        function = {'name': 'add', 'arguments': json.dumps({'a': number, 'b': 1})}
        message = {'role': 'assistant', 'content': None}
        message['tool_calls'] = [{'id': f'c{number}', 'type': 'function', 'function': function}]
    choice = {'index': 0, 'finish_reason': 'stop' if number is None else 'tool_calls', 'message': message}
    usage = {'prompt_tokens': 1, 'completion_tokens': 1, 'total_tokens': 2}
    return {
        'id': 'x',
        'object': 'chat.completion',
        'created': 1,
        'model': 'gpt-4o',
        'choices': [choice],
        'usage': usage,
    }


def anthropic_answer(number: int | None) -> Any:
    content: Any = {'type': 'text', 'text': 'done'}
    if number is not None:
        content = {'type': 'tool_use', 'id': f'c{number}', 'name': 'add', 'input': {'a': number, 'b': 1}}
    return {
        'id': 'm',
        'type': 'message',
        'role': 'assistant',
        'model': 'claude-opus-4-5',
        'content': [content],
        'stop_reason': 'end_turn' if number is None else 'tool_use',
        'stop_sequence': None,
        'usage': {'input_tokens': 1, 'output_tokens': 1},
    }


def google_answer(number: int | None) -> Any:
    part: Any = {'text': 'done'}
    if number is not None:
        part = {'functionCall': {'name': 'add', 'args': {'a': number, 'b': 1}}}
    candidate = {'content': {'role': 'model', 'parts': [part]}, 'finishReason': 'STOP'}
    usage = {'promptTokenCount': 1, 'candidatesTokenCount': 1, 'totalTokenCount': 2}
    return {'candidates': [candidate], 'modelVersion': 'gemini-2.5-flash', 'usageMetadata': usage}


ANSWERS = {
    'openai': ('openai', openai_answer),
    'anthropic': ('anthropic', anthropic_answer),
    'google': ('google.genai', google_answer),
}


def agent_of(package: str, vendor: str, answers: Answers) -> Run:
    """Return a function that runs an agent of a package, which has the same names in both."""

    def load(name: str) -> Any:
        return importlib.import_module(f'{package}.{name}')

    if vendor == 'openai':
        provider = load('providers.openai').OpenAIProvider(api_key='k', http_client=answers.client())
        model = load('models.openai').OpenAIChatModel('gpt-4o', provider=provider)
    elif vendor == 'anthropic':
        provider = load('providers.anthropic').AnthropicProvider(api_key='k', http_client=answers.client())
        model = load('models.anthropic').AnthropicModel('claude-opus-4-5', provider=provider)
    else:
        provider = load('providers.google').GoogleProvider(api_key='k', http_client=answers.client())
        model = load('models.google').GoogleModel('gemini-2.5-flash', provider=provider)
    root: Any = importlib.import_module(package)
    agent = root.Agent(model)
    limits = root.UsageLimits(request_limit=None)

    @agent.tool_plain
    async def add(a: int, b: int) -> str:
        """Add two numbers."""
        return RESULT

    async def run(steps: int) -> None:
        result = await agent.run('go', usage_limits=limits)
        assert len(result.all_messages()) == 2 * steps + 2

    return run


def openai_by_hand(answers: Answers) -> Run:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key='k', http_client=answers.client())
    tools: Any = [{'type': 'function', 'function': {'name': 'add', 'description': 'Add.', 'parameters': TOOL}}]

    async def run(steps: int) -> None:
        messages: Any = [{'role': 'user', 'content': 'go'}]
        while True:
            response = await client.chat.completions.create(model='gpt-4o', messages=messages, tools=tools)
            message: Any = response.choices[0].message
            if not message.tool_calls:
                return
            call = message.tool_calls[0]
            json.loads(call.function.arguments)
            function = {'name': 'add', 'arguments': call.function.arguments}
            calls = [{'id': call.id, 'type': 'function', 'function': function}]
            messages.append({'role': 'assistant', 'content': None, 'tool_calls': calls})
            messages.append({'role': 'tool', 'tool_call_id': call.id, 'content': RESULT})

    return run


def anthropic_by_hand(answers: Answers) -> Run:
    from anthropic import AsyncAnthropic

    client = AsyncAnthropic(api_key='k', http_client=answers.client())
    tools: Any = [{'name': 'add', 'description': 'Add.', 'input_schema': TOOL}]

    async def run(steps: int) -> None:
        messages: Any = [{'role': 'user', 'content': 'go'}]
        while True:
            response: Any = await client.beta.messages.create(
                model='claude-opus-4-5', max_tokens=4096, messages=messages, tools=tools
            )
            call = response.content[0]
            if call.type != 'tool_use':
                return
            used = {'type': 'tool_use', 'id': call.id, 'name': call.name, 'input': call.input}
            result = {'type': 'tool_result', 'tool_use_id': call.id, 'content': RESULT}
            messages.append({'role': 'assistant', 'content': [used]})
            messages.append({'role': 'user', 'content': [result]})

    return run


def google_by_hand(answers: Answers) -> Run:
    from google.genai import Client

    client = Client(api_key='k', http_options={'httpx_async_client': answers.client()})  # type: ignore[arg-type]
    declaration = {'name': 'add', 'description': 'Add.', 'parameters_json_schema': TOOL}
    config: Any = {'tools': [{'function_declarations': [declaration]}]}

    async def run(steps: int) -> None:
        contents: Any = [{'role': 'user', 'parts': [{'text': 'go'}]}]
        while True:
            response: Any = await client.aio.models.generate_content(
                model='gemini-2.5-flash', contents=contents, config=config
            )
            call = response.candidates[0].content.parts[0].function_call
            if call is None:
                return
            contents.append({'role': 'model', 'parts': [{'function_call': {'name': call.name, 'args': call.args}}]})
            result = {'name': 'add', 'response': {'result': RESULT}}
            contents.append({'role': 'user', 'parts': [{'function_response': result}]})

    return run


BY_HAND: dict[str, Callable[[Answers], Run]] = {
    'openai': openai_by_hand,
    'anthropic': anthropic_by_hand,
    'google': google_by_hand,
}


async def measure(package: str, vendor: str, steps: int) -> float:
    """Return the microseconds of CPU time a step."""
    answers = Answers(*ANSWERS[vendor])
    run = BY_HAND[vendor](answers) if package == 'sdk' else agent_of(package, vendor, answers)
    best = float('inf')
    for count in (5, *[steps] * (3 if steps <= 50 else 1)):  # the first few steps load what is needed
        answers.left = count
        start = time.process_time()
        await run(count)
        assert answers.left == -1
        if count == steps:
            best = min(best, (time.process_time() - start) / (count + 1) * 1e6)
    return best


if __name__ == '__main__':
    print(asyncio.run(measure(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
