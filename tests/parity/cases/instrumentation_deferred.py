"""Calls that wait for an answer, in versions that call this an error and in the one that does not."""

from _common import call, script
from _instrumentation import REQUEST, trace
from pydantic_ai import Agent, ApprovalRequired, CallDeferred, DeferredToolRequests


def make(capabilities):
    agent = Agent(
        script([call('d', {'n': 1}), call('ap', {}), call('bare', {})]),
        name='e',
        capabilities=capabilities,
        output_type=[str, DeferredToolRequests],
    )

    @agent.tool_plain
    def d(n: int):
        raise CallDeferred(metadata={'k': n})

    @agent.tool_plain
    def ap():
        raise ApprovalRequired(metadata={'k': 2})

    @agent.tool_plain
    def bare():
        raise CallDeferred

    return agent


with_ids = {'version': 2, 'include_content': False}
for version in (2, 4, 5):
    trace(f'version {version}', make, 'x', settings={'version': version}, without=REQUEST)
trace('no content', make, 'x', settings=with_ids, without=REQUEST)
