"""What a usage says of itself: span attributes, whether it has values, its repr, and its deprecated names."""

import json
import warnings

from pydantic_ai.usage import RequestUsage, RunUsage, Usage, UsageLimits

FULL = {
    'input_tokens': 1,
    'cache_write_tokens': 2,
    'cache_read_tokens': 3,
    'output_tokens': 4,
    'input_audio_tokens': 5,
    'cache_audio_read_tokens': 6,
    'output_audio_tokens': 7,
}
for usage in (
    RequestUsage(),
    RequestUsage(**FULL, details={'a': 1, 'b': 0, 'reasoning_tokens': 3, 'input_tokens': 9}),
    RunUsage(**FULL, requests=3, tool_calls=5),
    RequestUsage(details={'a': 0}),
    RunUsage(requests=1),
    RunUsage(tool_calls=1),
    RequestUsage(cache_read_tokens=1),
    RequestUsage(details={'cache_read_tokens': 8}, cache_read_tokens=2),
):
    print(json.dumps([repr(usage), usage.has_values(), usage.opentelemetry_attributes()]))


def warned(label, use):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        value = use()
    print(json.dumps([label, repr(value), [[warning.category.__name__, str(warning.message)] for warning in caught]]))


warned('Usage', lambda: Usage(requests=1))
warned('Usage is a RunUsage', lambda: isinstance(Usage(), RunUsage))
warned('request_tokens', lambda: RequestUsage(input_tokens=2).request_tokens)
warned('response_tokens', lambda: RunUsage(output_tokens=3).response_tokens)
warned('request_tokens_limit', lambda: UsageLimits(input_tokens_limit=2).request_tokens_limit)
warned('response_tokens_limit', lambda: UsageLimits(output_tokens_limit=2).response_tokens_limit)
