"""Payments: an agent asks another one, both under the same limits, and a person decides in another process.

python payments.py ask "Pay 120 to Ida"     # ends with the calls that wait, in state.json
python payments.py decide yes               # decides, and continues
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from stead import (
    Agent,
    ApprovalRequired,
    DeferredToolRequests,
    DeferredToolResults,
    ModelMessagesTypeAdapter,
    RunContext,
    RunUsage,
    ToolDenied,
    UsageLimitExceeded,
    UsageLimits,
)
from stead.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import AgentInfo, FunctionModel

STATE = Path('state.json')


@dataclass
class Bank:
    owner: str
    balance: int = 500


class Risk(BaseModel):
    level: int
    reason: str


def risk_script(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse([ToolCallPart(info.output_tools[0].name, {'level': 3, 'reason': 'large amount'})])


def boss_script(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    parts = [p for m in messages for p in m.parts]
    returns = [p for p in parts if isinstance(p, ToolReturnPart)]
    if not returns:
        return ModelResponse([ToolCallPart('assess', {'text': 'pay 120'})])
    if returns[-1].tool_name == 'assess':
        return ModelResponse([ToolCallPart('pay', {'to': 'Ida', 'amount': 120})])
    return ModelResponse([TextPart(f'Done: {returns[-1].content}')])


risk_agent = Agent(FunctionModel(risk_script), deps_type=Bank, output_type=Risk, name='risk')
boss = Agent(
    FunctionModel(boss_script), deps_type=Bank, output_type=[str, DeferredToolRequests], name='boss', retries=2
)


@boss.tool
async def assess(ctx: RunContext[Bank], text: str) -> Risk:
    """Assess the risk of a payment."""
    result = await risk_agent.run(text, deps=ctx.deps, usage=ctx.usage)
    return result.output


@boss.tool
def pay(ctx: RunContext[Bank], to: str, amount: int) -> str:
    """Pay a person."""
    if amount > 100 and not ctx.tool_call_approved:
        raise ApprovalRequired(metadata={'balance': ctx.deps.balance, 'to': to})
    ctx.deps.balance -= amount
    return f'{amount} paid to {to} by {ctx.deps.owner}, left {ctx.deps.balance}'


LIMITS = UsageLimits(request_limit=6, tool_calls_limit=5, total_tokens_limit=5_000)
requests_adapter = TypeAdapter(DeferredToolRequests)
usage_adapter = TypeAdapter(RunUsage)


async def ask(prompt: str) -> None:
    result = await boss.run(prompt, deps=Bank('Mina'), usage_limits=LIMITS)
    if isinstance(result.output, DeferredToolRequests):
        save(result.all_messages(), result.output, result.usage)
        for call in result.output.approvals:
            print('waits:', call.tool_name, call.args_as_dict(), result.output.metadata[call.tool_call_id])
    else:
        print(result.output)


def save(messages: list[ModelMessage], requests: DeferredToolRequests, usage: RunUsage) -> None:
    state = {
        'messages': ModelMessagesTypeAdapter.dump_python(messages, mode='json'),
        'requests': requests_adapter.dump_python(requests, mode='json'),
        'usage': usage_adapter.dump_python(usage, mode='json'),
    }
    STATE.write_text(json.dumps(state))


async def decide(answer: str, state: dict[str, Any]) -> None:
    requests = requests_adapter.validate_python(state['requests'])
    decision = True if answer == 'yes' else ToolDenied('The boss said no.')
    result = await boss.run(
        message_history=ModelMessagesTypeAdapter.validate_python(state['messages']),
        deferred_tool_results=DeferredToolResults(
            approvals={call.tool_call_id: decision for call in requests.approvals}
        ),
        deps=Bank('Mina'),
        usage=usage_adapter.validate_python(state['usage']),
        usage_limits=LIMITS,
    )
    print(result.output, result.usage.requests)


async def limited() -> None:
    try:
        await boss.run('Pay', deps=Bank('Mina'), usage_limits=UsageLimits(request_limit=2))
    except UsageLimitExceeded as error:
        print('limit:', error, error.usage.requests, len(error.messages))


if __name__ == '__main__':
    match sys.argv[1:]:
        case ['ask', prompt]:
            asyncio.run(ask(prompt))
        case ['decide', answer]:
            asyncio.run(decide(answer, json.loads(STATE.read_text())))
        case _:
            asyncio.run(limited())
