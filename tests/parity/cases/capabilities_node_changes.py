"""Node hooks that replace nodes: before, around and after each kind; and errors that lead to another node."""

import asyncio

from _hooks import MODES, Boom, run_as, scripted
from pydantic_ai import Agent, CallToolsNode, ModelRequestNode, UserPromptNode
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.result import FinalResult
from pydantic_graph import End

log = []


def acting(hook, kind, does):
    class Acts(AbstractCapability):
        async def before_node_run(self, ctx, *, node):
            log.append(f'{type(node).__name__} {ctx.run_step}')
            return does(node) if hook == 'before' and isinstance(node, kind) else node

        async def wrap_node_run(self, ctx, *, node, handler):
            if hook == 'instead' and isinstance(node, kind):
                return does(node)
            if hook == 'wrap' and isinstance(node, kind):
                node = does(node)
            return await handler(node)

        async def after_node_run(self, ctx, *, node, result):
            log.append(f'to {type(result).__name__}')
            return does(result) if hook == 'after' and isinstance(result, kind) else result

        async def on_node_run_error(self, ctx, *, node, error):
            log.append(f'{type(error).__name__} in {type(node).__name__}')
            if hook == 'error':
                return does(node)
            raise error

    return Acts()


def once(does):
    changed = []

    def act(node):
        if changed:
            return node
        changed.append(node)
        return does(node)

    return act


def show(label, make, failing=None):
    for mode in MODES:
        log.clear()
        model, requests = scripted(failing, 'text')
        agent = Agent(model, capabilities=[make()])

        @agent.tool_plain
        def double(x: int) -> int:
            if failing == 'tool':
                raise Boom('tool')
            return x * 2

        try:
            outcome = asyncio.run(run_as(mode, agent))
        except Exception as error:
            outcome = type(error).__name__
        print(label, mode, outcome, len(requests), log)


def request(text):
    return ModelRequestNode(ModelRequest(parts=[UserPromptPart(text)]))


def response(text):
    return CallToolsNode(ModelResponse(parts=[TextPart(text)]))


def ended(text):
    return End(FinalResult(text))


show('another prompt', lambda: acting('before', UserPromptNode, lambda node: UserPromptNode('other')))
show('a request for the prompt', lambda: acting('before', UserPromptNode, lambda node: request('direct')))
show('another response', lambda: acting('before', CallToolsNode, lambda node: response('mine')))
show('another response, in wrap', lambda: acting('wrap', CallToolsNode, lambda node: response('mine')))
show('a response for the request', lambda: acting('before', ModelRequestNode, lambda node: response('mine')))
show('no request, in wrap', lambda: acting('instead', ModelRequestNode, lambda node: response('mine')))
show('another after the prompt', lambda: acting('after', ModelRequestNode, once(lambda node: request('changed'))))
show('another after the request', lambda: acting('after', CallToolsNode, once(lambda node: response('mine'))))
show('end after the request', lambda: acting('after', CallToolsNode, lambda node: ended('early')))
show('another end', lambda: acting('after', End, lambda node: ended('other')))
show('go on after the end', lambda: acting('after', End, once(lambda node: request('more'))))
show('recover from the model', lambda: acting('error', ModelRequestNode, lambda node: request('again')), 'model')
show('recover with a response', lambda: acting('error', ModelRequestNode, lambda node: response('sorry')), 'model')
show('recover from a tool', lambda: acting('error', CallToolsNode, lambda node: request('no tools')), 'tool')
show('recover by ending', lambda: acting('error', CallToolsNode, lambda node: ended('given up')), 'tool')
