"""Hooks of nodes: every way to act, under `run`, `next` and event streams."""

from pydantic_ai import ModelRequestNode

from _hooks import End, FinalResult, ModelRequest, UserPromptPart, table


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
    but={'modify in wrap, coming out': (), 'short-circuit in wrap': (), 'recover in wrap failed': ()},
)
