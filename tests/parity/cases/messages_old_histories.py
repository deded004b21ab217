"""Histories stored by older versions, with names of fields that have changed."""

from pydantic_ai.messages import ModelMessagesTypeAdapter

OLD = [
    {'parts': [{'content': 'q', 'part_kind': 'user-prompt', 'timestamp': '2024-01-01T00:00:00Z'}], 'kind': 'request'},
    {
        'parts': [{'content': 'a', 'part_kind': 'text'}],
        'usage': {'requests': 1, 'request_tokens': 5, 'response_tokens': 6, 'total_tokens': 11, 'details': {'x': 1}},
        'model_name': 'm',
        'timestamp': '2024-01-01T00:00:00Z',
        'kind': 'response',
        'vendor_id': 'v',
        'vendor_details': {'a': 1},
        'price': 3,
    },
]
print(ModelMessagesTypeAdapter.dump_json(ModelMessagesTypeAdapter.validate_python(OLD)).decode())
RETURN = '[{"kind":"request","parts":[{"part_kind":"tool-return","tool_name":"t","content":%s,"tool_call_id":"1"}]}]'
for content in (
    '{"kind":"binary","data":"YWJj","media_type":"image/png"}',
    '["a",{"k":{"kind":"image-url","url":"http://x"}}]',
):
    print(type(ModelMessagesTypeAdapter.validate_json(RETURN % content)[0].parts[0].content).__name__)
