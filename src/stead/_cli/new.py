"""`stead new NAME`: a folder with an agent, a test of it and a Makefile."""

from __future__ import annotations

import argparse
import json
import keyword
import sys
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.request import url2pathname

HELP = 'Start a project: a folder with an agent, a test of it and a Makefile.'

AGENT = '''\
"""An agent that answers questions about orders. Talk with it: `make chat`."""

from __future__ import annotations

from dataclasses import dataclass, field

from stead import Agent, ModelRetry, RunContext
{imports}
MODEL = {model!r}


@dataclass
class Shop:
    """What the tools work on; a database in a real program."""

    orders: dict[str, str] = field(default_factory=lambda: {{'A-17': 'sent', 'B-02': 'waiting'}})


agent = Agent(
    MODEL,
    deps_type=Shop,
    name={name!r},
    instructions='Answer questions about orders, in one or two sentences. Look orders up; never guess.',
{examples}    defer_model_check=True,  # so that the tests need no key
)


@agent.tool
async def order_state(ctx: RunContext[Shop], order: str) -> str:
    """Return how an order stands.

    Args:
        order: The number of the order, such as A-17.
    """
    if order not in ctx.deps.orders:
        raise ModelRetry(f'There is no order {{order!r}}. There are: {{", ".join(ctx.deps.orders)}}.')
    return ctx.deps.orders[order]


@agent.tool(requires_approval=True)
async def cancel_order(ctx: RunContext[Shop], order: str) -> str:
    """Cancel an order; a person is asked first."""
    ctx.deps.orders[order] = 'cancelled'
    return 'cancelled'


if __name__ == '__main__':
    agent.to_cli_sync(deps=Shop())
'''
EXAMPLES = '''\
"""Worked examples for the small model in this process, which does what it sees done. Larger models need none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from stead import ModelRequest, ModelRequestContext, ModelResponse, RunContext
from stead.capabilities import AbstractCapability, WrapModelRequestHandler
from stead.messages import ModelMessage, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart


def example(question: str, tool: str, order: str, state: str) -> list[ModelMessage]:
    """Return a conversation in which a tool is called."""
    call = ToolCallPart(tool, {'order': order})
    return [
        ModelRequest([UserPromptPart(question)]),
        ModelResponse([call]),
        ModelRequest([ToolReturnPart(tool, state, call.tool_call_id)]),
        ModelResponse([TextPart(f'Order {order} is {state}.')]),
    ]


EXAMPLES = [
    *example('Where is order C-03?', 'order_state', 'C-03', 'sent'),
    *example('Please cancel order D-30.', 'cancel_order', 'D-30', 'cancelled'),
    *example('Is E-11 sent?', 'order_state', 'E-11', 'waiting'),
    *example('Cancel F-08, I do not need it.', 'cancel_order', 'F-08', 'cancelled'),
    *example('How is G-02?', 'order_state', 'G-02', 'sent'),
]


class WorkedExamples(AbstractCapability[Any]):
    """Puts the examples before the messages that are sent. The conversation itself is kept without them."""

    async def wrap_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: WrapModelRequestHandler
    ) -> ModelResponse:
        return await handler(replace(request_context, messages=[*EXAMPLES, *request_context.messages]))
'''
TEST = '''\
"""What the agent does, without a model: `make test`."""

from __future__ import annotations

from stead import DeferredToolRequests, ModelResponse, RunContext, TextPart, ToolCallPart, ToolReturnPart
from stead.capabilities import HandleDeferredToolCalls
from stead.messages import ModelMessage
from stead.models.function import AgentInfo, FunctionModel
from stead.tools import DeferredToolResults

from agent import Shop, agent


def model_that_calls(tool: str, order: str) -> FunctionModel:
    """Return a model that makes one call, and then repeats what it came to."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1].parts[-1]
        if isinstance(last, ToolReturnPart):
            return ModelResponse([TextPart(f'It is {last.content}.')])
        return ModelResponse([ToolCallPart(tool, {'order': order})])

    return FunctionModel(respond)


def test_orders_are_looked_up() -> None:
    result = agent.run_sync('Where is A-17?', deps=Shop(), model=model_that_calls('order_state', 'A-17'))
    assert result.output == 'It is sent.'


def test_nothing_is_cancelled_without_a_yes() -> None:
    async def no(ctx: RunContext[Shop], requests: DeferredToolRequests) -> DeferredToolResults:
        return DeferredToolResults(approvals={call.tool_call_id: False for call in requests.approvals})

    shop = Shop()
    agent.run_sync(
        'Cancel A-17.', deps=shop, model=model_that_calls('cancel_order', 'A-17'), capabilities=[HandleDeferredToolCalls(no)]
    )
    assert shop.orders['A-17'] == 'sent'
'''
MAKEFILE = """\
PYTHON ?= python3
INSTALLED := .venv/.installed

# The file is made once everything is installed: after a failure, the next command tries again.
$(INSTALLED): requirements.txt
\t$(PYTHON) -m venv .venv
\t.venv/bin/python -m pip install -q --disable-pip-version-check -r requirements.txt
\t@touch $@

chat: $(INSTALLED)  ## Talk with the agent
\t.venv/bin/python agent.py

serve: $(INSTALLED)  ## Talk with it in the browser
\t.venv/bin/stead serve agent:agent --deps agent:Shop

test: $(INSTALLED)  ## Run the tests; no model is asked
\t.venv/bin/python -m pytest -q

.PHONY: chat serve test
"""
README = """\
# {name}

An agent built with stead. `agent.py` has the agent and its tools, `test_agent.py` the tests, which ask no model.

```bash
make chat     # talk with it in the terminal
make serve    # or in the browser
make test
```

{key}
"""
_KEYS = {
    'openai': 'OPENAI_API_KEY',
    'anthropic': 'ANTHROPIC_API_KEY',
    'google': 'GOOGLE_API_KEY',
    'groq': 'GROQ_API_KEY',
    'mistral': 'MISTRAL_API_KEY',
    'xai': 'XAI_API_KEY',
    'cohere': 'CO_API_KEY',
    'huggingface': 'HF_TOKEN',
}
_LOCAL = """\
The model runs in this process: no key is needed. It is one of the smallest there are, and does what it sees done: `worked.py`
has examples. They are not used once `agent.py` has another model, such as `openai:gpt-5`; its extra goes into `requirements.txt`.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the command."""
    parser.add_argument('name', help='the folder to make; its name becomes that of the agent')
    parser.add_argument(
        '--model',
        default='local:',
        help='the model of the agent, as provider:name (default: local:, which needs no key)',
    )


def run(options: argparse.Namespace) -> int:
    """Write the files and return the exit code; nothing is overwritten."""
    folder = Path(options.name)
    name = folder.name.replace('-', '_')
    if not name.isidentifier() or keyword.iskeyword(name):
        print(
            f'stead new: {folder.name!r} is not a name. Use letters, digits and hyphens, such as "shop".',
            file=sys.stderr,
        )
        return 2
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        print(f'stead new: {str(folder)!r} exists already, and is not empty. Choose another name.', file=sys.stderr)
        return 2
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in files(name, options.model).items():
            (folder / file).write_text(text, encoding='utf-8')
    except OSError as error:
        print(f'stead new: {error}', file=sys.stderr)
        return 1
    print(f'{folder}/ is made. Next:\n\n  cd {folder}\n  make test\n  make chat')
    return 0


def files(name: str, model: str) -> dict[str, str]:
    """Return the files of a project, by their names.

    Args:
        name: The name of the agent.
        model: Its model.
    """
    is_local = model.startswith('local:')
    provider = model.partition(':')[0].rpartition('/')[2]
    sdk = 'local' if is_local else _sdk(provider)
    if is_local:
        key = _LOCAL.strip()
    elif variable := _KEYS.get(provider.partition('-')[0]):
        key = f'Set `{variable}` first.'
    else:
        key = f'The model is `{model}`. If its provider wants a key, set it first.'
    imports = '\nfrom worked import WorkedExamples\n' if is_local else ''
    examples = "    capabilities=[WorkedExamples()] if MODEL.startswith('local:') else [],\n" if is_local else ''
    return {
        'agent.py': AGENT.format(name=name, model=model, imports=imports, examples=examples),
        **({'worked.py': EXAMPLES} if is_local else {}),
        'test_agent.py': TEST,
        'Makefile': MAKEFILE,
        'README.md': README.format(name=name, key=key),
        'requirements.txt': f'stead[{f"{sdk}," if sdk else ""}cli,web]{_origin()}\npytest\n',
        '.gitignore': '.venv/\n__pycache__/\n*.db\n',
    }


def _origin() -> str:
    """Return the place that this stead was installed from, for a requirement: ` @ URL`; empty if it was a package index.

    The formats are those of PEP 610 and of direct references.
    """
    try:
        text = metadata.distribution('stead').read_text('direct_url.json')
    except metadata.PackageNotFoundError:  # sources on the path
        text = None
    if text is None:
        return ''
    source: dict[str, Any] = json.loads(text)
    url: str = source['url']
    if vcs := source.get('vcs_info'):
        return f' @ {vcs["vcs"]}+{url}@{vcs["commit_id"]}'
    if url.startswith('file://') and not Path(url2pathname(url.removeprefix('file://'))).exists():
        return ''  # a wheel that was deleted since
    return f' @ {url}'


def _sdk(provider: str) -> str:
    """Return the extra with the SDK of a provider's models; empty if there is no such provider."""
    from ..providers import PROVIDERS

    row = PROVIDERS.get(provider) or PROVIDERS.get(provider.partition('-')[0])
    if row is None:
        return ''
    module = row.model_module.partition('.')[0]
    return module if module in (*_KEYS, 'bedrock', 'outlines') else 'openai'
