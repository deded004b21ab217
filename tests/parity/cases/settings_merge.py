"""Settings laid over settings: which wins, what is replaced whole, what is handed back as it was."""

import json

from pydantic_ai.settings import ModelSettings, ToolOrOutput, merge_model_settings

PAIRS = [
    (None, None),
    ({'temperature': 1}, None),
    (None, {'temperature': 1}),
    ({}, None),
    (None, {}),
    ({}, {'seed': 1}),
    ({'seed': 1}, {}),
    ({'temperature': 1, 'seed': 2}, {'temperature': 3}),
    ({'temperature': 1}, {'temperature': None}),
    ({'extra_body': {'a': 1, 'n': {'x': 1}}}, {'extra_body': {'b': 2, 'n': {'y': 2}}}),
    ({'extra_headers': {'A': '1'}}, {'extra_headers': {'a': '2', 'b': '3'}}),
    ({'extra_headers': {'a': '1'}}, {'extra_headers': None}),
    ({'logit_bias': {'a': 1}}, {'logit_bias': {'b': 2}}),
    ({'stop_sequences': ['a']}, {'stop_sequences': ['b']}),
    ({'extra_body': [1]}, {'extra_body': 'x'}),
    ({'tool_choice': 'none'}, {'tool_choice': ['a']}),
    ({'vendor_setting': {'a': 1}}, {'vendor_setting': {'b': 1}}),
]
for base, overrides in PAIRS:
    before = json.dumps([base, overrides])
    merged = merge_model_settings(base, overrides)
    print(
        json.dumps(
            [base, overrides, merged, merged is base, merged is overrides, json.dumps([base, overrides]) == before]
        )
    )
print(json.dumps([sorted(ModelSettings.__optional_keys__), sorted(ModelSettings.__required_keys__)]))
print(json.dumps([repr(ToolOrOutput(function_tools=['a'])), ToolOrOutput(['a']) == ToolOrOutput(function_tools=['a'])]))
