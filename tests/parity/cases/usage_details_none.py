"""Counts that providers report as `None` are left out when usages are added."""

from pydantic_ai.usage import RequestUsage, RunUsage

total = RunUsage(input_tokens=5) + RequestUsage(input_tokens=3, details={'a': None, 'b': 0, 'c': 3})  # type: ignore[dict-item]
print(total.input_tokens, total.details)
print((total + RequestUsage(details={'c': 1, 'd': None})).details)  # type: ignore[dict-item]
print((RequestUsage(details={'x': None}) + RequestUsage(details={'x': None, 'y': 2})).details)  # type: ignore[dict-item]
