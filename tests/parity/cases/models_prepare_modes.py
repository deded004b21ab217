"""Output modes that `prepare_request` settles on, by profile and by what is asked for."""

import itertools

from _models import tool
from _models_prepare import OBJECT, prepared
from pydantic_ai.profiles import ModelProfile

PROFILES = {
    'plain': ModelProfile(),
    'native': ModelProfile(supports_json_schema_output=True, default_structured_output_mode='native'),
    'native by default, not supported': ModelProfile(default_structured_output_mode='native'),
    'prompted': ModelProfile(default_structured_output_mode='prompted', supports_json_object_output=True),
    'no tools': ModelProfile(supports_tools=False),
    'no tools, prompted': ModelProfile(supports_tools=False, default_structured_output_mode='prompted'),
    'native repeats the schema': ModelProfile(
        supports_json_schema_output=True, native_output_requires_schema_in_instructions=True
    ),
    'images': ModelProfile(supports_image_output=True),
}
MODES = ('text', 'tool', 'native', 'prompted', 'image', 'tool_or_text', 'auto')
OUTPUT = tool('final_result', kind='output')
for (name, profile), mode in itertools.product(PROFILES.items(), MODES):
    for output_object, tools, text in itertools.product((None, OBJECT), ([], [OUTPUT]), (True, False)):
        title = f'{name}: {mode}, object {output_object is not None}, tools {len(tools)}, text {text}'
        prepared(
            title, profile, output_mode=mode, output_object=output_object, output_tools=tools, allow_text_output=text
        )
    for image, mode in itertools.product((True, False), ('text', 'image')):
        prepared(f'{name}: {mode} with images {image}', profile, output_mode=mode, allow_image_output=image)
    prepared(f'{name}: function tools', profile, function_tools=[tool('x')])
