"""Bedrock: what is known about models by their names, with and without geography, and the schemas that it takes."""

import dataclasses

from _common import fact
from pydantic_ai.providers.bedrock import (
    BedrockJsonSchemaTransformer,
    BedrockModelProfile,
    BedrockProvider,
    bedrock_amazon_model_profile,
    bedrock_anthropic_model_profile,
    bedrock_google_model_profile,
    bedrock_minimax_model_profile,
    bedrock_mistral_model_profile,
    bedrock_nvidia_model_profile,
)

DEFAULTS = BedrockModelProfile()


def described(profile):
    if profile is None:
        return None
    found = {}
    for field in dataclasses.fields(BedrockModelProfile):
        value = getattr(profile, field.name, getattr(DEFAULTS, field.name))
        if field.name == 'json_schema_transformer':
            value = value and value.__name__
        if isinstance(value, frozenset):
            value = sorted(item if isinstance(item, str) else item.__name__ for item in value)
        elif value == getattr(DEFAULTS, field.name):
            continue
        found[field.name] = value
    return found


MODELS = {
    'anthropic': 'claude-3-haiku-20240307-v1:0 claude-3-7-sonnet-20250219-v1:0 claude-opus-4-1-20250805-v1:0 '
    'claude-haiku-4-5-20251001-v1:0 claude-sonnet-4-5 claude-sonnet-4-6 claude-opus-4-5-20251101-v1:0 claude-opus-4-6-v1 '
    'claude-opus-4-7 claude-mythos-5 claude-fable-5 claude-v2:1 other',
    'amazon': 'nova-lite-v1:0 nova-premier-v1:0 nova-2-lite-v1:0 titan-text-express-v1',
    'mistral': 'mistral-large-2402-v1:0 mistral-large-3-675b-instruct magistral-small-2509 ministral-3-8b-instruct '
    'voxtral-mini-3b-2507 pixtral-large-2502-v1:0',
    'qwen': 'qwen3-32b-v1:0 qwen3-vl-235b-a22b qwen2.5-72b',
    'google': 'gemma-3-4b-it gemma-3-12b-it gemma-3-27b-it',
    'minimax': 'minimax-m2 minimax-m2.1 minimax-m1',
    'nvidia': 'nemotron-nano-9b-v2 nemotron-super',
    'deepseek': 'v3-v1:0',
    'meta': 'llama3-1-405b-instruct-v1:0 llama4-maverick-17b-instruct-v1:0',
    'cohere': 'command-r-plus-v1:0',
    'openai': 'gpt-oss-120b-1:0',
    'moonshot': 'kimi-k2-thinking',
    'writer': 'palmyra-x5-v1:0',
}
for vendor, names in MODELS.items():
    for name in names.split():
        fact(f'{vendor}.{name}', described(BedrockProvider.model_profile(f'{vendor}.{name}')))
SONNET = 'anthropic.claude-sonnet-4-6'
for geography in ('us', 'us-gov', 'eu', 'apac', 'jp', 'au', 'ca', 'global', 'sa', 'me', 'ap', 'us-east-1', 'us.us'):
    profile = BedrockProvider.model_profile(f'{geography}.{SONNET}')
    fact(geography, profile == BedrockProvider.model_profile(SONNET))
for name in ('foo', '', 'ANTHROPIC.claude-sonnet-4-6', 'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude'):
    fact(name, described(BedrockProvider.model_profile(name)))
for function in (
    bedrock_amazon_model_profile,
    bedrock_anthropic_model_profile,
    bedrock_google_model_profile,
    bedrock_minimax_model_profile,
    bedrock_mistral_model_profile,
    bedrock_nvidia_model_profile,
):
    fact(function.__name__, [described(function(name)) for name in ('nova-2-lite', 'claude-opus-4-5', 'other')])

NUMBER = {'type': 'integer', 'minimum': 1, 'maximum': 9, 'exclusiveMinimum': 0, 'exclusiveMaximum': 10, 'multipleOf': 2}
SCHEMAS = [
    {'type': 'object', 'title': 'T', '$schema': 'x', 'properties': {'a': NUMBER, 'b': {**NUMBER, 'description': 'b'}}},
    {'type': 'number', 'minimum': 1.5, 'maximum': None},
    {'type': 'string', 'minLength': 1, 'maxLength': 3, 'pattern': 'x', 'format': 'date', 'default': 'a'},
    {'type': 'array', 'minItems': 1, 'maxItems': 3, 'uniqueItems': True, 'items': {'type': 'object'}},
    {'type': 'array', 'minItems': 2},
    {'type': 'array', 'minItems': 0, 'prefixItems': [NUMBER]},
    {'type': 'object', 'additionalProperties': {'type': 'string'}, 'minProperties': 1},
    {'type': ['integer', 'null'], 'minimum': 1},
    {'anyOf': [NUMBER, {'type': 'object'}, {'type': 'null'}]},
    {'type': 'object', 'properties': {'title': {'type': 'string', 'title': 'Title'}}},
    {
        'type': 'object',
        'properties': {'pet': {'$ref': '#/$defs/Pet'}},
        '$defs': {'Pet': {'type': 'object', 'properties': {'age': NUMBER, 'of': {'$ref': '#/$defs/Pet'}}}},
    },
]
for schema in SCHEMAS:
    for strict in (None, True, False):
        transformer = BedrockJsonSchemaTransformer(schema, strict=strict)
        fact('schema', [strict, transformer.walk(), transformer.is_strict_compatible])
