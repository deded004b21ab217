"""Models by name, and whether real ones may be asked."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from stead import Agent, UserError, models
from stead._kit.warnings import PydanticAIDeprecationWarning
from stead.messages import ModelMessage, ModelResponse
from stead.models import (
    MODEL_CLASSES,
    KnownModelName,
    Model,
    OpenAIChatCompatibleProvider,
    OpenAIResponsesCompatibleProvider,
    infer_model,
    infer_model_profile,
    parse_model_id,
)
from stead.models.function import AgentInfo, FunctionModel
from stead.models.test import TestModel
from stead.models.wrapper import WrapperModel
from stead.profiles import DEFAULT_PROFILE, ModelProfile


def test_the_test_model_has_a_name():
    assert isinstance(infer_model('test'), TestModel)
    assert Agent('test').run_sync('x').output == 'success (no tool calls)'


def test_a_model_is_what_it_is():
    mine = TestModel()
    assert infer_model(mine) is mine


@pytest.mark.parametrize('name', ['nope', '', 'TEST', 'function'])
def test_a_name_without_provider(name: str):
    with pytest.raises(UserError, match=f'Unknown model: \'{name}\'. Use "provider:model" or "test"'):
        infer_model(name)


@pytest.mark.parametrize(('name', 'provider'), [('nope:x', 'nope'), ('test:x', 'test'), (':x', ''), ('x:', 'x')])
def test_an_unknown_provider(name: str, provider: str):
    with pytest.raises(ValueError, match=f"Unknown provider: '{provider}' .in the model name '{name}'.*FunctionModel"):
        infer_model(name)


@pytest.mark.parametrize(
    ('name', 'meant'), [('opeani:x', 'openai:x'), (' OpenAI:x', 'openai:x'), ('mistrall:x', 'mistral:x')]
)
def test_what_may_have_been_meant(name: str, meant: str):
    with pytest.raises(ValueError, match=f"Did you mean '{meant}'"):
        infer_model(name)


@pytest.mark.parametrize('name', ['qwerty:x'])
def test_nothing_like_it_is_there(name: str):
    with pytest.raises(ValueError, match='Unknown provider') as caught:
        infer_model(name)
    assert 'Did you mean' not in str(caught.value)


@pytest.mark.parametrize('thing', [None, 3, TestModel, ['test']])
def test_neither_a_model_nor_a_name(thing: object):
    with pytest.raises(TypeError, match='A model must be a `Model` or a name such as "provider:model", not '):
        infer_model(thing)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ('name', 'parsed'),
    [
        ('openai:gpt-5', ('openai', 'gpt-5')),
        ('a:b:c', ('a', 'b:c')),
        ('gateway/openai:x', ('gateway/openai', 'x')),
        ('llama', (None, 'llama')),
        ('', (None, '')),
    ],
)
def test_ids_are_taken_apart(name: str, parsed: tuple[str | None, str]):
    assert parse_model_id(name) == parsed


def test_some_names_do_without_a_provider_for_now():
    with pytest.warns(DeprecationWarning, match="use 'anthropic:claude-3' rather than 'claude-3'") as caught:
        assert parse_model_id('claude-3') == ('anthropic', 'claude-3')
    assert caught[0].filename == __file__


def test_a_provider_of_another_room(monkeypatch: pytest.MonkeyPatch):
    profile = ModelProfile(supports_tools=False, supported_native_tools=frozenset())
    monkeypatch.setitem(models.MODEL_FACTORIES, 'mine', lambda name: TestModel(model_name=name, profile=profile))
    assert infer_model('mine:a-1').model_name == 'a-1'
    assert infer_model_profile('mine:a-1') is profile
    with pytest.raises(ValueError, match=r"Providers of this version of stead: \[.*'mine'"):
        infer_model('other:a')


@pytest.mark.parametrize('name', ['test', 'nope:x', 'x'])
def test_nothing_is_known_of_other_models(name: str):
    assert infer_model_profile(name) == DEFAULT_PROFILE


@pytest.mark.parametrize(
    ('name', 'label'),
    [
        ('gpt-5-mini', 'GPT 5 Mini'),
        ('claude-sonnet-4-5', 'Claude Sonnet 4.5'),
        ('gemini-2.5-pro', 'Gemini 2.5 Pro'),
        ('meta-llama/Llama-3', 'Llama 3'),
        ('a-1-2b', 'A 1 2b'),
        ('', ''),
    ],
)
def test_a_label_is_the_name_in_words(name: str, label: str):
    assert TestModel(model_name=name).label == label


def test_what_models_say_of_themselves():
    def silent(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([])

    for model, name in ((TestModel(), 'test:test'), (FunctionModel(silent), 'function:function:silent:')):
        assert model.model_id == name
        assert (model.base_url, model.provider, model.settings) == (None, None, None)


def test_requests_to_real_models_can_be_forbidden():
    models.check_allow_model_requests()
    with models.override_allow_model_requests(False):
        with pytest.raises(RuntimeError, match='ALLOW_MODEL_REQUESTS is False'):
            models.check_allow_model_requests()
        assert Agent('test').run_sync('x').output  # no real one
        with models.override_allow_model_requests(True):
            models.check_allow_model_requests()
        assert models.ALLOW_MODEL_REQUESTS is False
    models.check_allow_model_requests()


def test_they_are_allowed_again_after_an_error():
    with pytest.raises(KeyError), models.override_allow_model_requests(False):
        raise KeyError
    assert models.ALLOW_MODEL_REQUESTS is True


def test_the_flag_may_be_set(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(models, 'ALLOW_MODEL_REQUESTS', False)
    with pytest.raises(RuntimeError):
        models.check_allow_model_requests()


def test_a_wrapper_passes_everything_on():
    inner = TestModel(model_name='inner-1', settings={'seed': 3}, profile=ModelProfile(supports_tools=False))

    class Loud(WrapperModel):
        @property
        def model_name(self) -> str:
            return self.wrapped.model_name.upper()

    outer = Loud(inner)
    assert (outer.model_name, outer.model_id, outer.label) == ('INNER-1', 'test:INNER-1', 'Inner 1')
    assert (outer.system, outer.settings, outer.profile) == ('test', {'seed': 3}, inner.profile)
    assert outer.custom_output_text is None  # what only the inner one has
    assert Agent(outer).run_sync('x').output == 'success (no tool calls)'
    assert isinstance(WrapperModel('test').wrapped, TestModel)
    with pytest.raises(AttributeError, match='nonsense'):
        _ = outer.nonsense


def test_a_model_that_can_do_little():
    class Little(Model):
        model_name = 'little'
        system = 'mine'

        async def request(self, messages, model_settings, model_request_parameters):  # type: ignore[no-untyped-def]
            raise NotImplementedError

    agent = Agent(Little())
    with pytest.raises(UserError, match='Little cannot stream. Use `run`'):
        from .kit import do, streamed

        do(streamed(agent.model))  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match='Little cannot count tokens'):
        do(Little().count_tokens([], None, models.ModelRequestParameters()))
    with pytest.raises(NotImplementedError, match='Little cannot compact messages'):
        do(Little().compact_messages(None))  # type: ignore[arg-type]


CHAT = 'OpenAIChatModel'
FACTS: list[tuple[str, str, str, str]] = [
    ('openai:gpt-5', CHAT, 'openai', 'https://api.openai.com/v1/'),
    ('openai-chat:gpt-5', CHAT, 'openai', 'https://api.openai.com/v1/'),
    ('openai-responses:gpt-5', 'OpenAIResponsesModel', 'openai', 'https://api.openai.com/v1/'),
    ('alibaba:qwen-max', CHAT, 'alibaba', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1/'),
    ('cerebras:gpt-oss-120b', 'CerebrasModel', 'cerebras', 'https://api.cerebras.ai/v1/'),
    ('deepseek:deepseek-chat', CHAT, 'deepseek', 'https://api.deepseek.com'),
    ('fireworks:accounts/x', CHAT, 'fireworks', 'https://api.fireworks.ai/inference/v1/'),
    ('github:openai/gpt-4o', CHAT, 'github', 'https://models.github.ai/inference/'),
    ('grok:grok-4', CHAT, 'grok', 'https://api.x.ai/v1/'),
    ('moonshotai:kimi-k2', CHAT, 'moonshotai', 'https://api.moonshot.ai/v1/'),
    ('nebius:x/y', CHAT, 'nebius', 'https://api.studio.nebius.com/v1/'),
    ('ollama:llama3.2:3b', 'OllamaModel', 'ollama', 'http://localhost:11434/v1/'),
    ('openrouter:openai/gpt-5', 'OpenRouterModel', 'openrouter', 'https://openrouter.ai/api/v1/'),
    ('ovhcloud:x', CHAT, 'ovhcloud', 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1/'),
    ('sambanova:x', CHAT, 'sambanova', 'https://api.sambanova.ai/v1/'),
    ('together:meta/x', CHAT, 'together', 'https://api.together.xyz/v1/'),
    ('vercel:openai/gpt-4o', CHAT, 'vercel', 'https://ai-gateway.vercel.sh/v1/'),
    ('zai:glm-4.6', CHAT, 'zai', 'https://api.z.ai/api/paas/v4/'),
]


@pytest.mark.filterwarnings('ignore:`GrokProvider` is an old name:DeprecationWarning')
@pytest.mark.parametrize(('name', 'cls', 'system', 'url'), FACTS, ids=[row[0] for row in FACTS])
def test_models_behind_openais_protocol(
    name: str, cls: str, system: str, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    provider, _, model_name = name.partition(':')
    prefix = 'OPENAI' if system == 'openai' else provider.upper()
    monkeypatch.setenv(f'{prefix}_API_KEY', 'sk-of-ours')
    monkeypatch.setenv('GROK_API_KEY', 'sk-of-ours')
    monkeypatch.setenv('VERCEL_AI_GATEWAY_API_KEY', 'sk-of-ours')
    monkeypatch.setenv('OLLAMA_BASE_URL', 'http://localhost:11434/v1')
    monkeypatch.delenv('OPENAI_BASE_URL', raising=False)
    model = infer_model(name)
    assert (type(model).__name__, model.model_name, model.system, model.base_url) == (cls, model_name, system, url)
    providers: list[str] = []

    def make(provider: str) -> Any:
        providers.append(provider)
        return model.provider

    again = infer_model(name, provider_factory=make)
    assert (type(again), again.provider, providers) == (type(model), model.provider, [provider])
    assert infer_model_profile(name) == model.provider.model_profile(model_name)


def members(alias: Any) -> list[str]:
    return list(get_args(alias.__value__))


def test_names_that_are_known() -> None:
    names = members(KnownModelName)
    assert names[0] == 'test'
    assert len(names) == len(set(names)) > 420
    providers = {parse_model_id(name)[0] for name in names if name != 'test'}
    assert {name.removeprefix('gateway/') for name in providers if name} - MODEL_CLASSES.keys() == {'local'}


@pytest.mark.parametrize(
    ('name', 'meant'),
    [
        ('opnai:gpt-5', "'openai:gpt-5'"),
        ('OpenRouter:a/b', "'openrouter:a/b'"),
        ('llama-3.3-70b', None),
        ('kimi-k2-0711-preview', "'moonshotai:kimi-k2-0711-preview'"),
        ('nonsense:x', None),
    ],
)
def test_what_was_meant(name: str, meant: str | None) -> None:
    with pytest.raises((UserError, ValueError)) as caught:
        infer_model(name)
    assert (f'Did you mean {meant}? ' in str(caught.value)) if meant else 'Did you mean' not in str(caught.value)


@pytest.mark.parametrize(
    ('old', 'new'), [('google-gla', 'google'), ('google-vertex', 'google-cloud'), ('vertexai', 'google-cloud')]
)
def test_old_names_of_providers(old: str, new: str) -> None:
    pytest.importorskip('google.genai', reason='the SDK google-genai is not installed')
    from stead.providers import infer_provider_class
    from stead.providers.google import GoogleProvider

    names: list[str] = []

    def make(name: str) -> Any:
        names.append(name)
        return GoogleProvider(api_key='k-of-ours')

    with pytest.warns(PydanticAIDeprecationWarning, match=f"'{old}' is deprecated: use '{new}'") as caught:
        model = infer_model(f'{old}:gemini-2.5-pro', provider_factory=make)
    assert (type(model).__name__, names) == ('GoogleModel', [old])
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(PydanticAIDeprecationWarning, match=f"'{old}' is deprecated") as caught:
        assert infer_provider_class(old) is infer_provider_class(new)
    assert [warning.filename for warning in caught] == [__file__]


def test_names_of_providers_that_are_known() -> None:
    chat = members(OpenAIChatCompatibleProvider)
    assert set(members(OpenAIResponsesCompatibleProvider)) <= set(chat) < MODEL_CLASSES.keys()
    pytest.importorskip('openai', reason='the SDK openai is not installed')
    from stead.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from stead.providers.openai import OpenAIProvider

    for name in chat:
        model = infer_model(f'{name}:x', provider_factory=lambda _: OpenAIProvider(api_key='x'))
        assert isinstance(model, OpenAIResponsesModel if name == 'meta' else OpenAIChatModel)
