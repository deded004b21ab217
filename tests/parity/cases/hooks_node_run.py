"""Hooks of nodes: every way to act, under `run`, `next` and event streams."""

from _hooks import table
from pydantic_ai import ModelRequestNode
from pydantic_ai.messages import UserPromptPart
from pydantic_ai.result import FinalResult
from pydantic_graph import End


def other_request(node):
    if isinstance(node, ModelRequestNode):
        node.request.parts = [*node.request.parts, UserPromptPart('and more')]
        return ModelRequestNode(node.request)
    return node


table(
    'node_run',
    changed_input=other_request,
    changed_result=lambda _: End(FinalResult('ended')),
    failing='model',
    # `wrap` may end a run as `after` may; the reference implementation loses the result.
    modes_of={'modify in wrap, coming out': (), 'short-circuit in wrap': (), 'recover in wrap failed': ()},
)
