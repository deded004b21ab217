"""`stead new NAME`: a folder with an agent, a test of it and a Makefile."""

from __future__ import annotations

import argparse
import keyword
import sys
from pathlib import Path

HELP = 'Start a project: a folder with an agent, a test of it and a Makefile.'

AGENT = '''\
"""An agent that answers questions about orders. Talk with it: `make chat`."""

from __future__ import annotations

from dataclasses import dataclass, field

from stead import Agent, ModelRetry, RunContext

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
    defer_model_check=True,  # so that the tests need no key
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
TEST = '''\
"""What the agent does, without a model: `make test`."""

from __future__ import annotations

from agent import Shop, agent

from stead import DeferredToolRequests, ModelResponse, RunContext, TextPart, ToolCallPart
from stead.capabilities import HandleDeferredToolCalls
from stead.messages import ModelMessage
from stead.models.function import AgentInfo, FunctionModel
from stead.tools import DeferredToolResults


def model_that_calls(tool: str, order: str) -> FunctionModel:
    """Return a model that makes one call, and then repeats what it came to."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=[ToolCallPart(tool, {'order': order})])
        return ModelResponse(parts=[TextPart(f'It is {messages[-1].parts[-1].content}.')])

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
.venv: requirements.txt
\tpython3 -m venv .venv
\t.venv/bin/pip install -q -r requirements.txt
\ttouch .venv

chat: .venv  ## Talk with the agent
\t.venv/bin/python agent.py

serve: .venv  ## Talk with it in the browser
\t.venv/bin/stead serve agent:agent --deps agent:Shop

test: .venv  ## Run the tests; no model is asked
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
}


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
        print(f'stead new: {str(folder)!r} is there already, and not empty. Choose another name.', file=sys.stderr)
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
    provider = model.partition(':')[0].partition('-')[0]
    variable = _KEYS.get(provider)
    key = f'Set `{variable}` first.' if variable else 'The model runs in this process: no key is needed.'
    extras = ','.join(dict.fromkeys([*([provider] if provider in (*_KEYS, 'local') else []), 'cli', 'web']))
    return {
        'agent.py': AGENT.format(name=name, model=model),
        'test_agent.py': TEST,
        'Makefile': MAKEFILE,
        'README.md': README.format(name=name, key=key),
        'requirements.txt': f'stead[{extras}]\npytest\n',
        '.gitignore': '.venv/\n__pycache__/\n*.db\n',
    }
