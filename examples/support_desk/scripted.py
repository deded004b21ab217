"""A script in place of a language model: it parses the question, and then follows the results of the tools."""

from __future__ import annotations

import re
from typing import Any, cast

from stead.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from stead.models.function import AgentInfo, FunctionModel

ORDER = re.compile(r'\b[a-z]-?\d+\b', re.IGNORECASE)
CUSTOMER = re.compile(r'\b(?:orders? (?:of|for|by)|from)\s+([A-Z]\w+(?: [A-Z]\w+)?)')
CITY = re.compile(r'\bto ([A-Z]\w+)')


def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Return the next step: a call of a tool, or the answer."""
    question = next(
        str(part.content) for message in reversed(messages) for part in message.parts if part.part_kind == 'user-prompt'
    )
    last = messages[-1].parts[-1]
    if isinstance(last, RetryPromptPart):
        return _corrected(question, str(last.content))
    if isinstance(last, ToolReturnPart) and last.outcome == 'denied':
        return _answer(str(last.content), 'refused')
    answered = [part.tool_name for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    if 'load_capability' in answered and 'refund_order' not in answered:
        return _call('refund_order', order=_order_found(messages))
    if isinstance(last, ToolReturnPart):
        return _after(question, last.tool_name, last.content)
    if named := CUSTOMER.search(question):
        return _call('orders_of', customer=named[1])
    if wanted := ORDER.search(question):
        return _call('find_order', order=wanted[0], say='Let me look that order up.')
    return _answer('Which order is it about? Its id looks like A-17.', 'question')


def _order_found(messages: list[ModelMessage]) -> str:
    """Return the id of the order that was looked up last."""
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    contents: list[object] = [part.content for part in parts]
    found = [cast('dict[str, str]', content) for content in contents if isinstance(content, dict)]
    return next(content['id'] for content in reversed(found) if 'status' in content)


def _corrected(question: str, complaint: str) -> ModelResponse:
    """Try again with the id that the complaint suggests, or give up."""
    if meant := re.search(r"Did you mean '(.+?)'", complaint):
        return _call('find_order', order=meant[1])
    return _answer(complaint.split('. ')[0] + '.', 'question')


def _after(question: str, tool: str, found: Any) -> ModelResponse:
    if isinstance(found, list):
        lines = [f'{row["id"]}, the {row["item"]}' for row in cast('list[dict[str, str]]', found)]
        return _answer(f'These are the orders: {", ".join(lines)}.' if lines else 'There are none under that name.')
    if 'refused' in found:
        return _answer(found['refused'], 'refused')
    about = f'order {found["id"]}, the {found["item"]},'
    if tool == 'find_order' and 'cancel' in question.lower():
        return _call('cancel_order', order=found['id'], say='It is there, so I will cancel it.')
    if tool == 'find_order' and re.search('refund|money back|pay.* back', question.lower()):
        return _call('load_capability', id='refunds', say='I have to look up how refunds work here.')
    if tool == 'find_order' and (city := CITY.search(question)):
        return _call('send_elsewhere', order=found['id'], city=city[1])
    if tool == 'find_order':
        return _answer(f'Your {about} is {found["status"]}.', order=found['id'])
    change = {'cancel_order': 'is cancelled', 'refund_order': 'is paid back'}.get(tool, f'goes to {found["city"]} now')
    return _answer(f'Your {about} {change}.', 'changed', order=found['id'])


def _call(tool: str, say: str = '', **args: Any) -> ModelResponse:
    return ModelResponse([*([TextPart(say)] if say else []), ToolCallPart(tool, args)])


def _answer(text: str, outcome: str = 'informed', order: str | None = None) -> ModelResponse:
    return ModelResponse([ToolCallPart('final_result', {'text': text, 'order': order, 'outcome': outcome})])


model = FunctionModel(respond, model_name='scripted')
