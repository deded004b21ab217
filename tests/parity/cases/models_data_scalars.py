"""The data that `TestModel` makes for numbers, texts and other scalars of JSON schemas."""

from _models import attempt, tool
from pydantic_ai.models.test import TestModel

# Only schemas that the reference makes valid data for; the others are held by the tests of the room.
SCHEMAS = {
    'integer': {'type': 'integer'},
    'integer minimum': {'type': 'integer', 'minimum': 5},
    'integer maximum': {'type': 'integer', 'maximum': 5},
    'integer both': {'type': 'integer', 'minimum': 3, 'maximum': 6},
    'integer above': {'type': 'integer', 'exclusiveMinimum': 5},
    'integer below': {'type': 'integer', 'exclusiveMaximum': 5},
    'integer between': {'type': 'integer', 'exclusiveMinimum': 5, 'exclusiveMaximum': 9},
    'integer mixed': {'type': 'integer', 'minimum': 5, 'exclusiveMaximum': 9},
    'integer mixed other': {'type': 'integer', 'exclusiveMinimum': 5, 'maximum': 9},
    'integer negative': {'type': 'integer', 'minimum': -10, 'maximum': -8},
    'integer zero': {'type': 'integer', 'minimum': 0},
    'number': {'type': 'number'},
    'number minimum': {'type': 'number', 'minimum': 5},
    'number minimum fraction': {'type': 'number', 'minimum': 0.5},
    'number maximum': {'type': 'number', 'maximum': 5},
    'number both': {'type': 'number', 'minimum': 0, 'maximum': 10},
    'number small': {'type': 'number', 'minimum': 0, 'maximum': 1},
    'number above': {'type': 'number', 'exclusiveMinimum': 5},
    'number below': {'type': 'number', 'exclusiveMaximum': 5},
    'number between': {'type': 'number', 'exclusiveMinimum': 5, 'exclusiveMaximum': 9},
    'number mixed': {'type': 'number', 'minimum': 5, 'exclusiveMaximum': 9},
    'number mixed other': {'type': 'number', 'exclusiveMinimum': 5, 'maximum': 9},
    'string': {'type': 'string'},
    'string short': {'type': 'string', 'maxLength': 3},
    'string empty': {'type': 'string', 'maxLength': 0},
    'string long': {'type': 'string', 'minLength': 4},
    'date': {'type': 'string', 'format': 'date'},
    'boolean': {'type': 'boolean'},
    'null': {'type': 'null'},
    'const': {'const': 'x'},
    'const typed': {'const': 3, 'type': 'integer'},
    'enum': {'enum': ['a', 'b', 'c']},
    'enum typed': {'type': 'integer', 'enum': [1, 2]},
    'examples': {'type': 'string', 'examples': ['foo', 'bar']},
    'examples over enum': {'enum': ['a', 'b'], 'examples': ['foo']},
    'default': {'type': 'string', 'default': 'dflt'},
    'title': {'title': 'x', 'type': 'string'},
    'anything': {},
    'described': {'description': 'anything at all'},
    'nothing': {'type': 'string', 'minLength': 0},
}
for seed in (0, 1, 2, 3, 5, 30, 92, 93, 94, 95, 200, 9000):
    model = TestModel(seed=seed)
    for name, schema in SCHEMAS.items():
        attempt(f'{seed} {name}', model.gen_tool_args, tool(schema=schema))
