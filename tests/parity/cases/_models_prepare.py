"""What the cases about `prepare_request` share."""

from _models import attempt, plain
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.test import TestModel
from pydantic_ai.output import OutputObjectDefinition


def prepared(name, profile, settings=None, model=None, **fields):
    """Print the settings and parameters that a model of a profile is left with."""
    model = model or TestModel(profile=profile)
    attempt(name, lambda: [plain(each) for each in model.prepare_request(settings, ModelRequestParameters(**fields))])


OBJECT = OutputObjectDefinition(
    json_schema={'type': 'object', 'properties': {'a': {'$ref': '#/$defs/A'}}, '$defs': {'A': {'type': 'integer'}}},
    name='Name',
    description='What it is.',
)
