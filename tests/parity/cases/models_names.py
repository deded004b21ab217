"""Names of models: labels, ids, parsing and inference; and the switch that allows requests."""

import warnings

from _models import attempt, fact
from pydantic_ai import models
from pydantic_ai.models import infer_model, infer_model_profile, parse_model_id
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.profiles import DEFAULT_PROFILE

LABELS = """gpt-4o gpt_4o GPT-4 gpt5 claude-3-5-sonnet-latest claude-sonnet-4-5 o3-mini gemini-2.5-pro meta-llama/Llama-3
llama-3.3-70b-versatile openai/gpt-oss-120b x/y/z x/ deepseek-r1:free us.anthropic.claude-3 my-gpt-ai an-LLM -x- a--1--2
gpt-4o-2024-08-06 a-1-2b a1-2 a-1.5-2 3-5 a-1-2-b-3-4 1-2-3-4 v1-2-3 1.5-2.5 o1-2-""".split()
for name in (*LABELS, '', 'a b-c'):
    model = TestModel(model_name=name)
    fact(repr(name), [model.label, model.model_id])

IDS = ('openai:gpt', 'a:b:c', 'gateway/openai:x', 'mistral-large', 'llama', '', ':', 'x:', ':x', 'test')
BARE = ('gpt-4o', 'o1', 'o3-mini', 'claude-3', 'gemini-1', 'gpt', 'claude', 'GPT-4')
for name in (*IDS, *BARE):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        attempt(f'parse {name!r}', parse_model_id, name)
    fact('warned', [[warning.category.__name__, warning.filename == __file__] for warning in caught])

for name in ('nope', 'nope:x', '', 'test:x', ':x', 'x:', None, 3, 'function', 'TEST'):
    attempt(f'infer {name!r}', infer_model, name)
attempt('infer test', lambda: [type(infer_model('test')), infer_model('test').model_id])
test_model = TestModel()
fact('same', infer_model(test_model) is test_model)
for name in ('test', 'nope:x', 'x'):
    fact(f'profile of {name}', infer_model_profile(name) == DEFAULT_PROFILE)

for each_model in (TestModel(), FunctionModel(lambda messages, info: None, model_name='f'), WrapperModel('test')):
    attributes = ('model_name', 'system', 'model_id', 'label', 'base_url', 'settings', 'provider')
    fact(type(each_model).__name__, [getattr(each_model, name) for name in attributes])


def named(messages, info):
    return None


async def streamed(messages, info):
    yield ''


for function, stream in ((named, None), (None, streamed), (named, streamed), (lambda *_: None, None)):
    attempt('name', lambda: FunctionModel(function, stream_function=stream).model_name)
attempt('no function', FunctionModel)

fact('allowed', models.ALLOW_MODEL_REQUESTS)
for allowed in (False, True):
    with models.override_allow_model_requests(allowed):
        fact('inside', models.ALLOW_MODEL_REQUESTS)
        attempt('check', models.check_allow_model_requests)
        with models.override_allow_model_requests(not allowed):
            attempt('check', models.check_allow_model_requests)
fact('after', models.ALLOW_MODEL_REQUESTS)
try:
    with models.override_allow_model_requests(False):
        raise KeyError
except KeyError:
    fact('after an error', models.ALLOW_MODEL_REQUESTS)
