"""Calls that wait beside a final result, under each end strategy; output validators see the requests, too."""

from _common import call, fact, run
from _deferred import agent_of, external, go_on, need
from pydantic import BaseModel
from pydantic_ai import CallDeferred, DeferredToolRequests, DeferredToolResults


class Answer(BaseModel):
    n: int


FINAL = call('final_result', {'n': 1})
WAITING = [call('job', {}), call('need', {'x': 1}), call('ask', {})]


def build(*responses, **options):
    agent = need(
        agent_of(*responses, output_type=[Answer, DeferredToolRequests], toolsets=[external('ask')], **options)
    )

    @agent.tool_plain
    def job():
        fact('job', 'called')
        raise CallDeferred({'job': 1})

    return agent


for strategy in ('early', 'graceful', 'exhaustive'):
    waiting = WAITING if strategy == 'early' else WAITING[1:]  # the others leave the call that a tool defers unanswered
    run(f'{strategy}: with a final result', build([*waiting, FINAL], end_strategy=strategy), 'q')
    run(f'{strategy}: final result first', build([FINAL, *waiting], end_strategy=strategy), 'q')
run('an invalid final result', build([*WAITING, call('final_result', {'n': 'x'})], [FINAL]), 'q')
first = run('waiting', build(WAITING, [FINAL]), 'q')
go_on(
    'then final',
    build(WAITING, [FINAL]),
    first,
    DeferredToolResults(calls={'id_ask': 1, 'id_job': 2}, approvals={'id_need': True}),
)
checked = []
validated = build(WAITING)


@validated.output_validator
def check(output):
    checked.append(type(output).__name__)
    return output


run('validators', validated, 'q')
fact('validated', checked)
