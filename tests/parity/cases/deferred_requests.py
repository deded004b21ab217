"""`DeferredToolRequests`: `build_results` and `remaining`, and what they refuse."""

from _common import attempt, call, fact
from pydantic_ai import DeferredToolRequests, DeferredToolResults, ToolDenied, ToolReturn

CALLS = [call('c1', {'x': 1}), call('c2', {})]
APPROVALS = [call('a1', '{"y": 2}'), call('a2', None)]
requests = DeferredToolRequests(
    calls=CALLS, approvals=APPROVALS, metadata={'id_c1': {'job': 1}, 'id_a2': {'why': 2}, 'zz': {}}
)
fact('empty', [DeferredToolRequests().calls, DeferredToolRequests().approvals, DeferredToolRequests().metadata])
fact('keywords only', attempt(lambda: DeferredToolRequests(CALLS)))


def built(name, **options):
    try:
        results = requests.build_results(**options)
    except Exception as error:
        fact(name, type(error).__name__)
        return None
    fact(name, [dict(sorted(results.approvals.items())), results.calls, results.metadata])
    return results


built('nothing')
built('approvals', approvals={'id_a1': True, 'id_a2': ToolDenied('no')})
built('calls', calls={'id_c1': 5, 'id_c2': ToolReturn('x')})
built('metadata', metadata={'id_a1': {'by': 'me'}, 'unknown': {'a': 1}})
built('approve all', approve_all=True)
built('approve the rest', approve_all=True, approvals={'id_a1': False})
built('approve all and calls', approve_all=True, calls={'id_c1': None})
built('unknown approval', approvals={'zz': True})
built('unknown call', calls={'zz': 1})
built('call among approvals', approvals={'id_c1': True})
built('approval among calls', calls={'id_a1': 1})
built('empty', approvals={}, calls={}, metadata={})
approvals = {'id_a1': True}
results = built('given', approvals=approvals, approve_all=True)
fact('given stays', approvals)
for name, results in {
    'none': DeferredToolResults(),
    'a call': DeferredToolResults(calls={'id_c1': 1}),
    'an approval': DeferredToolResults(approvals={'id_a2': False}),
    'all': DeferredToolResults(calls={'id_c1': 1, 'id_c2': 2}, approvals={'id_a1': True, 'id_a2': True}),
    'kinds mixed up': DeferredToolResults(calls={'id_a1': 1}, approvals={'id_c1': True}),
    'unknown': DeferredToolResults(calls={'zz': 1}),
    'metadata only': DeferredToolResults(metadata={'id_c1': {}}),
}.items():
    left = requests.remaining(results)
    fact(
        f'remaining {name}',
        left
        and [[one.tool_call_id for one in left.calls], [one.tool_call_id for one in left.approvals], left.metadata],
    )
fact('remaining of none', DeferredToolRequests().remaining(DeferredToolResults()))
