"""The `thinking` setting against profiles that support it, always think, or do neither."""

import itertools

from _models import fact
from _models_prepare import prepared
from pydantic_ai.models.test import TestModel
from pydantic_ai.profiles import ModelProfile

LEVELS = (None, False, True, 'minimal', 'low', 'medium', 'high', 'xhigh')
for able, always in itertools.product((False, True), repeat=2):
    profile = ModelProfile(supports_thinking=able, thinking_always_enabled=always)
    for level in LEVELS:
        prepared(f'{able} {always} setting {level}', profile, {'thinking': level})
        prepared(f'{able} {always} setting {level} and others', profile, {'thinking': level, 'temperature': 1})
    for level, level_of_settings in itertools.product((None, False, 'low'), ('high', False, True)):
        prepared(
            f'{able} {always} setting {level} parameter {level_of_settings}',
            profile,
            {'thinking': level},
            thinking=level_of_settings,
        )
        prepared(
            f'{able} {always} no setting, parameter {level_of_settings}',
            profile,
            {'max_tokens': 1},
            thinking=level_of_settings,
        )
    prepared(f'{able} {always} nothing', profile)
    prepared(f'{able} {always} empty settings', profile, {})

thinks = ModelProfile(supports_thinking=True)
model = TestModel(settings={'thinking': 'low', 'max_tokens': 4}, profile=thinks)
prepared('of the model', thinks, model=model)
prepared('over the model', thinks, {'thinking': False, 'seed': 1}, model=model)
prepared('over the model with None', thinks, {'thinking': None}, model=model)
fact('settings of the model stay', model.settings)
mine = {'thinking': 'high', 'seed': 3}
prepared('mine', thinks, mine)
fact('mine stay', mine)
