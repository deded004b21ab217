"""An agent that asks before each refund. You can stop it at any time: pending approvals are stored in a file.

    python -m examples.approvals "Refund order A-17 and A-18"     asks you about each refund
    python -m examples.approvals                                  continues where it was stopped

Decisions: [y]es, [n]o, [a]lways (any refund of this conversation), [s]ame (this order, for good), or end the input to
decide later. Nothing is refunded twice: finished refunds are part of the stored conversation.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from stead import Agent, DeferredToolRequests, DeferredToolResults, ToolDenied
from stead.capabilities import ApprovalPolicy
from stead.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from stead.models.function import AgentInfo, FunctionModel


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Refund every order in the prompt, and then report the results."""
    last = messages[-1].parts
    returns = [part for part in last if isinstance(part, ToolReturnPart)]
    if returns:
        return ModelResponse([TextPart('; '.join(str(part.content) for part in returns) + '.')])
    prompt = ' '.join(str(part.content) for part in last if isinstance(part, UserPromptPart))
    orders = re.findall(r'[A-Z]-\d+', prompt)
    if not orders:
        return ModelResponse([TextPart('Which order? For example: refund order A-17.')])
    return ModelResponse([ToolCallPart('refund', {'order': order}) for order in orders])


class Desk:
    """The conversation, and its file."""

    def __init__(self, path: Path, model: Any) -> None:
        self.path = path
        self.messages: list[ModelMessage] = []
        self.policy = ApprovalPolicy[Any]()
        if path.exists():
            stored = json.loads(path.read_text(encoding='utf-8'))
            self.messages = ModelMessagesTypeAdapter.validate_python(stored['messages'])
            self.policy = ApprovalPolicy.load(json.dumps(stored['policy']))
        self.agent = Agent(model, output_type=[str, DeferredToolRequests], capabilities=[self.policy])
        self.agent.tool_plain(requires_approval=True)(self.refund)

    @staticmethod
    def refund(order: str) -> str:
        """Refund an order."""
        return f'order {order} is refunded'

    def store(self) -> None:
        """Write the conversation in one step, so that a crash leaves the old file or the new one."""
        stored = {
            'messages': ModelMessagesTypeAdapter.dump_python(self.messages, mode='json'),
            'policy': json.loads(self.policy.dump()),
        }
        draft = self.path.with_suffix('.draft')
        draft.write_text(json.dumps(stored), encoding='utf-8')
        os.replace(draft, self.path)

    def run(self, prompt: str | None = None, results: DeferredToolResults | None = None) -> str | DeferredToolRequests:
        """Continue the conversation and store it."""
        result = self.agent.run_sync(prompt, message_history=self.messages, deferred_tool_results=results)
        self.messages = result.all_messages()
        self.store()
        return result.output

    def waiting(self) -> list[ToolCallPart]:
        """Return the calls that the stored conversation waits for."""
        last = self.messages[-1] if self.messages else None
        return last.tool_calls if isinstance(last, ModelResponse) else []

    def decide(self, calls: list[ToolCallPart]) -> DeferredToolResults | None:
        """Ask about each call; `None` if the input ended first."""
        results = DeferredToolResults()
        for call in calls:
            print(f'{call.tool_name} {call.args_as_dict()}: [y]es, [n]o, [a]lways, [s]ame?', flush=True)
            answer = sys.stdin.readline().strip().lower()[:1]
            if not answer:
                return None
            approved = answer in 'yas'
            results.approvals[call.tool_call_id] = approved or ToolDenied(f'{call.args_as_dict()} was denied')
            if answer == 'a':
                self.policy.allow(call.tool_name, conversation_id=self.messages[-1].conversation_id)
            elif answer == 's':
                self.policy.allow(call.tool_name, call.args_as_dict())
        return results


def main() -> int:
    """Run the program and return its exit code."""
    parser = argparse.ArgumentParser(
        prog='python -m examples.approvals', description=(__doc__ or '').partition('\n')[0]
    )
    parser.add_argument('prompt', nargs='?', help='what to refund; without it, the stored conversation continues')
    parser.add_argument('--file', type=Path, default=Path('approvals.json'), help='where the conversation is kept')
    options = parser.parse_args()
    desk = Desk(options.file, FunctionModel(scripted))
    calls = desk.waiting()
    if calls and options.prompt:
        print('A call waits for your decision; decide before you enter another prompt.')
    elif options.prompt:
        output = desk.run(options.prompt)
        if isinstance(output, str):
            print(output)
            return 0
        calls = desk.waiting()
    if not calls:
        print('Nothing waits. Give a prompt, for example "refund order A-17".')
        return 0
    while calls:
        results = desk.decide(calls)
        if results is None:
            print(f'Nothing was decided. The conversation is in {options.file}; run the program again to decide.')
            return 3
        output = desk.run(results=results)
        if isinstance(output, str):
            print(output)
        calls = desk.waiting()
    return 0


if __name__ == '__main__':
    sys.exit(main())
