"""Adding usages: in place and as sums, requests to runs and runs to requests, and what stays unshared."""

import copy
import json
import pickle

from pydantic_ai.usage import RequestUsage, RunUsage

TOKENS = {
    'input_tokens': 1,
    'cache_write_tokens': 2,
    'cache_read_tokens': 3,
    'output_tokens': 4,
    'input_audio_tokens': 5,
    'cache_audio_read_tokens': 6,
}


def request():
    return RequestUsage(**TOKENS, details={'b': 3, 'c': 0})


def run():
    return RunUsage(**TOKENS, requests=2, tool_calls=3, details={'a': 1, 'b': 2})


def show(label, value):
    print(json.dumps([label, repr(value)]))


for left_name, left in (('request', request), ('run', run)):
    for right_name, right in (('request', request), ('run', run)):
        total, added = left(), right()
        show(f'{left_name} incr {right_name} returns', total.incr(added))
        show(f'{left_name} incr {right_name}', total)
        show(f'{left_name} incr {right_name} leaves', added)
        show(f'{left_name} + {right_name}', left() + right())

base = run()
total = base + request()
total.details['new'] = 1
show('a sum shares no details', base)
twin = copy.copy(base)
twin.details['new'] = 1
show('a copy shares no details', base)
show('sum()', sum([request(), request()], RunUsage()))
show('copies are equal', [copy.deepcopy(base) == base, pickle.loads(pickle.dumps(base)) == base])
show(
    'equality',
    [RequestUsage() == RequestUsage(), RequestUsage() == RunUsage(), RequestUsage(input_tokens=1) == RequestUsage()],
)
show('total', [request().total_tokens, run().total_tokens, RequestUsage().requests])
for name in ('total_tokens', 'request_tokens', 'requests'):
    try:
        setattr(RequestUsage(), name, 1)
    except AttributeError as error:
        show(f'set {name}', type(error).__name__)
for label, make in (
    ('positional', lambda: RequestUsage(1)),
    ('old name', lambda: RunUsage(request_tokens=1)),
    ('hash', lambda: hash(RunUsage())),
):
    try:
        make()
    except TypeError as error:
        show(label, type(error).__name__)
