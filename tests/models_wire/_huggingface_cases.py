"""Requests to Hugging Face and its answers, as scripts against either implementation; see `record.py`."""

from __future__ import annotations

from typing import Any

import _huggingface_answers_cases as answers
from _facts import facts
from _huggingface_bodies import MODEL, completion
from _requests import REQUESTS
from _vocabulary import Cases
from _wire import Wire
from huggingface_hub import AsyncInferenceClient

from stead.models.huggingface import HuggingFaceModel
from stead.profiles import ModelProfile
from stead.providers.huggingface import HuggingFaceProvider

cases = Cases(MODEL, completion)
for name, (messages, params, settings) in REQUESTS.items():
    cases.add(name, messages, params, settings)
for name in ('output_native', 'output_prompted', 'output_tools', 'tools', 'system_later', 'thinking'):
    for model in ('meta-llama/Llama-4-Scout-17B-16E-Instruct', 'openai/gpt-oss-120b', 'google/gemma-3-27b-it'):
        cases.add(f'{name}/{model}', *REQUESTS[name], model=model)
for level in (True, False, 'high'):
    cases.add(f'thinks_{level}/r1', settings={'thinking': level}, model='deepseek-ai/DeepSeek-R1')
    cases.add(f'thinks_{level}/able', settings={'thinking': level}, profile=ModelProfile(supports_thinking=True))
cases.join(answers.cases)

# What is better here than there: files that tools return are sent, and so are details of images, text files and formats of
# outputs; thinking in fields of its own is read; all of the usage is read, and not added up; what is missing breaks nothing.
BETTER = {
    'answer_of_nothing',
    'image_bytes_detail',
    'image_detail',
    'output_native/google/gemma-3-27b-it',
    'output_prompted/google/gemma-3-27b-it',
    'r_calls_no_id',
    'r_finish_',
    'r_finish_content_filter',
    'r_full_usage',
    'r_no_model',
    'r_reasoning',
    'r_reasoning_content',
    'r_two_choices',
    'returned_image',
    'returned_image_only',
    'returned_link',
    'returned_pdf',
    's_finish_content_filter',
    's_no_created',
    's_null_choices',
    's_reasoning',
    's_reasoning_content',
    's_usage_in_all',
    'text_bytes',
}
cases.drop(BETTER)


def client_of(wire: Wire) -> AsyncInferenceClient:
    return AsyncInferenceClient(base_url=wire.url, api_key='hf_k')


async def run(name: str, wire: Wire, client: AsyncInferenceClient) -> dict[str, Any]:
    messages, params, settings, model_name, reply, profile, _ = cases[name]
    wire.expect(reply)
    provider = HuggingFaceProvider(hf_client=client, api_key='hf_k')
    model = HuggingFaceModel(model_name, provider=provider, profile=profile)
    found = await facts(model, wire, messages, params, settings, stream=name.startswith('s_'))
    for sent in found['sent']:
        sent['body'] = plain(sent['body'])
    return found


def plain(body: Any) -> Any:
    """Return what matters of a body: releases of the client differ in the nulls they send."""
    if isinstance(body, list):
        return [plain(item) for item in body]
    if not isinstance(body, dict):
        return body
    found = {name: plain(item) for name, item in body.items() if item not in (None, '', [])}
    found.pop('stream_options', None)  # without it, no usage comes
    if found.get('type') == 'function' and 'id' in found:
        found['function'] = found['function'][
            'name'
        ]  # the arguments get lost elsewhere: test_huggingface.py looks at them
    elif found.get('type') == 'function' and 'parameters' not in found['function']:
        found.pop('type')  # the choice of a tool
    return found
