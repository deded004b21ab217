"""Writes what follows from the table of providers: `python scripts/write_known_names.py`, or `make known-names`.

`model_names.json` beside it has the names of models by family, with the providers that have the family. Names of providers
that are not in the table stay there until they are; they are not written.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from stead.models import MODEL_FACTORIES
from stead.providers import PROVIDERS, infer_provider_class
from stead.providers._sdk import SdkProvider
from stead.providers._table import ProviderRow
from stead.providers.gateway import PREFIX, ROUTES

ROOT = Path(__file__).parents[1]
NAMES = Path(__file__).with_name('model_names.json')
MODULE = ROOT / 'src' / 'stead' / 'models' / '_known_names.py'
PAGE = ROOT / 'docs' / 'models.md'
BEGIN = '<!-- known-names: written by `make known-names` -->\n'
END = '<!-- known-names: end -->\n'

HEAD = '''\
"""Names that are known, as data: for completion and checks in your editor. Any other name of a model works, too.

Written by `make known-names` from the table of providers and `scripts/model_names.json`; change those.
"""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypeAliasType
'''

# The variables of providers that have others than a key and a URL.
VARIABLES = {
    'google': '`GOOGLE_API_KEY` or `GEMINI_API_KEY`, `GOOGLE_GEMINI_BASE_URL`',
    'google-cloud': (
        'those of Google Cloud: `GOOGLE_CLOUD_PROJECT`, `GOOGLE_CLOUD_LOCATION`; or `GOOGLE_API_KEY`; '
        '`GOOGLE_VERTEX_BASE_URL`'
    ),
    'huggingface': '`HF_TOKEN`',
    'xai': '`XAI_API_KEY`',
    'bedrock': (
        'those of AWS: `AWS_DEFAULT_REGION`, `AWS_PROFILE`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`; or '
        '`AWS_BEARER_TOKEN_BEDROCK`'
    ),
    'azure': '`AZURE_OPENAI_ENDPOINT`, `AZURE_OPENAI_API_KEY`, `OPENAI_API_VERSION`',
    'heroku': '`HEROKU_INFERENCE_KEY`, `HEROKU_INFERENCE_URL`',
    'litellm': 'none; pass `api_base`, else OpenAI is asked',
    'ollama': '`OLLAMA_BASE_URL`, `OLLAMA_API_KEY`',
    'snowflake': '`SNOWFLAKE_ACCOUNT`, `SNOWFLAKE_TOKEN`',
    'vllm': '`VLLM_BASE_URL`, `VLLM_API_KEY`',
    'openrouter': '`OPENROUTER_API_KEY`, `OPENROUTER_APP_URL`, `OPENROUTER_APP_TITLE`',
}
# What has no row of its own in the table of providers.
OTHERS = """\
| `local` | none | `local` | [`LlamaCppModel`](local-models.md), in this process |
| `gateway/…` | `PYDANTIC_AI_GATEWAY_API_KEY`, `PYDANTIC_AI_GATEWAY_BASE_URL` | that of the vendor | that of the vendor |
"""


def known_names(providers: Mapping[str, ProviderRow]) -> list[str]:
    """Return the names that `infer_model` takes, of those in the data."""
    families = json.loads(NAMES.read_text(encoding='utf-8')).values()
    models = {provider: family['models'] for family in families for provider in family['providers']}
    here = sorted(provider for provider in models if _is_there(provider, providers))
    return ['test', *(f'{provider}:{model}' for provider in here for model in models[provider])]


def _is_there(provider: str, providers: Mapping[str, ProviderRow]) -> bool:
    if provider.startswith(PREFIX):
        route = ROUTES.get(provider.removeprefix(PREFIX))
        return route is not None and route.provider in providers
    return provider in providers or provider in MODEL_FACTORIES


def module_of(providers: Mapping[str, ProviderRow]) -> str:
    """Return the module with the names."""
    chat = sorted(name for name, row in providers.items() if row.chat)
    responses = sorted(name for name, row in providers.items() if row.responses)
    aliases = [
        _alias('OpenAIChatCompatibleProvider', chat, 'The name of a provider that speaks the OpenAI chat protocol.'),
        _alias(
            'OpenAIResponsesCompatibleProvider',
            responses,
            'The name of a provider that speaks the OpenAI responses protocol.',
        ),
        _alias(
            'KnownModelName',
            known_names(providers),
            "A name that `infer_model` takes: `'test'`, `'provider:model'`, or `'local:'` for the default weights.",
        ),
    ]
    return '\n'.join([HEAD, *aliases])


def _alias(name: str, values: list[str], docstring: str) -> str:
    indent = ' ' * 8
    lines = textwrap.fill(
        ', '.join(map(repr, values)) + ',', 120, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )
    # The names are hundreds: several share a line.
    return f'# fmt: off\n{name} = TypeAliasType(\n    {name!r},\n    Literal[\n{lines}\n    ],\n)\n# fmt: on\n"""{docstring}"""\n'


def page_of(providers: Mapping[str, ProviderRow], page: str) -> str:
    """Return a page with the table of providers in it written again."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    own = [row for row in providers.values() if not row.chat]
    compatible = [row for _, row in sorted(providers.items()) if row.chat]
    lines = [*_lines(own, providers), OTHERS, *_lines(compatible, providers)]
    head = '| Name | Variables | Extra | Model class |\n|---|---|---|---|\n'
    return f'{before}{BEGIN}\n{head}{"".join(lines)}\n{END}{after}'


def _lines(rows: list[ProviderRow], providers: Mapping[str, ProviderRow]) -> Iterator[str]:
    """Yield the lines of some providers; names that mean the same share one."""
    for row in dict.fromkeys(rows):
        names = [name for name, other in providers.items() if other == row]
        cls: type[Any] = infer_provider_class(names[0])
        listed = ', '.join(f'`{name}`' for name in names)
        yield f'| {listed} | {VARIABLES.get(names[0]) or _variables(cls)} | `{cls.sdk_extra}` | `{row.model}` |\n'


def _variables(cls: type) -> str:
    """Return the variables of a provider whose SDK takes a key and a URL."""
    if not issubclass(cls, SdkProvider):
        raise SystemExit(f'Say in {Path(__file__).name} which environment variables {cls.__name__} reads.')
    keys = ' or '.join(f'`{name}`' for name in cls.key_variables)
    return f'{keys}, `{cls.url_variable}`' if cls.url_variable else keys


def main() -> None:
    """Write the module and the page."""
    MODULE.write_text(module_of(PROVIDERS), encoding='utf-8')
    PAGE.write_text(page_of(PROVIDERS, PAGE.read_text(encoding='utf-8')), encoding='utf-8')


if __name__ == '__main__':
    main()
