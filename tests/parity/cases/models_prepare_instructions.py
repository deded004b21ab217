"""Instructions that carry the output schema, by profile, template and mode."""

from _models import attempt
from _models_prepare import OBJECT, prepared
from pydantic_ai.messages import InstructionPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles import InlineDefsJsonSchemaTransformer, ModelProfile

TEMPLATES = (
    None,
    False,
    'Like {schema}, please',
    'Just words',
    '{{"not": "a field"}} {schema}',
    '{schema} {schema}',
    '{{schema}}',
)
PROFILES = {
    'plain': ModelProfile(),
    'own template': ModelProfile(prompted_output_template='Mine: {schema}'),
    'own template without schema': ModelProfile(prompted_output_template='Mine.'),
    'native': ModelProfile(supports_json_schema_output=True),
    'native repeats': ModelProfile(
        supports_json_schema_output=True, native_output_requires_schema_in_instructions=True
    ),
    'native repeats by own template': ModelProfile(
        supports_json_schema_output=True,
        native_output_requires_schema_in_instructions=True,
        prompted_output_template='Mine: {schema}',
    ),
    'inlined': ModelProfile(json_schema_transformer=InlineDefsJsonSchemaTransformer),
}
for name, profile in PROFILES.items():
    for template in TEMPLATES:
        for mode in ('prompted', 'native', 'tool', 'text'):
            title = f'{name}: {mode} by {template!r}'
            prepared(title, profile, output_mode=mode, output_object=OBJECT, prompted_output_template=template)

parts = [InstructionPart(content='said'), InstructionPart(content='made', dynamic=True)]
for order in (parts, parts[::-1], parts[:1], parts[1:], [], None):
    prepared('among others', PROFILES['plain'], output_mode='prompted', output_object=OBJECT, instruction_parts=order)
    prepared('beside native', PROFILES['native'], output_mode='native', output_object=OBJECT, instruction_parts=order)

schema = {'type': 'object', 'title': 'Own', 'description': 'Its own.'}
for fields in ({}, {'name': 'N'}, {'description': 'D'}, {'name': 'N', 'description': 'D', 'strict': True}):
    output_object = OutputObjectDefinition(json_schema=schema, **fields)
    prepared(f'title and description {fields}', PROFILES['plain'], output_mode='prompted', output_object=output_object)
    for template in TEMPLATES:
        parameters = ModelRequestParameters(
            output_mode='text', output_object=output_object, prompted_output_template=template
        )
        attempt(f'property {template!r}', lambda: parameters.prompted_output_instructions)
attempt(
    'property, nothing asked', lambda: ModelRequestParameters(prompted_output_template='x').prompted_output_instructions
)
