"""Limits of a run: what each check lets pass and says, limits of zero and None, and the old names of limits."""

import dataclasses
import json
import warnings

from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.usage import RunUsage, UsageLimits

usage = RunUsage(requests=5, tool_calls=5, input_tokens=50, output_tokens=60)
LIMITS = (
    [{'request_limit': limit} for limit in (0, 4, 5, 6, None)]
    + [{'tool_calls_limit': limit} for limit in (0, 4, 5, None)]
    + [{'input_tokens_limit': limit} for limit in (0, 49, 50)]
    + [{'output_tokens_limit': limit} for limit in (0, 59, 60)]
    + [{'total_tokens_limit': limit} for limit in (0, 109, 110)]
    + [{'input_tokens_limit': 1, 'output_tokens_limit': 1, 'total_tokens_limit': 1}]
)

for options in LIMITS:
    limits = UsageLimits(**{'request_limit': None, **options})
    for check in ('check_before_request', 'check_tokens', 'check_before_tool_call'):
        try:
            getattr(limits, check)(usage)
            outcome = None
        except UsageLimitExceeded as error:
            outcome = str(error)
        print(json.dumps([check, options, outcome]))
    print(json.dumps(['has_token_limits', options, limits.has_token_limits()]))

with warnings.catch_warnings():
    warnings.simplefilter('ignore')
    for options in (
        {},
        {'request_limit': None},
        {'request_tokens_limit': 3, 'response_tokens_limit': 4},
        {'request_tokens_limit': 3, 'input_tokens_limit': 4},
        {'request_tokens_limit': 3, 'input_tokens_limit': 0},
        {'response_tokens_limit': 0, 'output_tokens_limit': None},
        {'count_tokens_before_request': True},
    ):
        limits = UsageLimits(**options)
        print(json.dumps([options, repr(limits), limits.request_tokens_limit, limits.response_tokens_limit]))
print(json.dumps(['replace', repr(dataclasses.replace(UsageLimits(request_limit=3), input_tokens_limit=2))]))
print(json.dumps(['equal', UsageLimits() == UsageLimits(), UsageLimits() == UsageLimits(request_limit=1)]))
for label, make in (
    ('positional', lambda: UsageLimits(3)),
    ('unknown', lambda: UsageLimits(nonsense=3)),
    ('hash', lambda: hash(UsageLimits())),
):
    try:
        make()
    except TypeError as error:
        print(json.dumps([label, type(error).__name__]))
