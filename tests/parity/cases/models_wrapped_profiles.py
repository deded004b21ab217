"""The profile of a wrapped model is asked for each time, since it may change."""

from _common import fact
from pydantic_ai.models.concurrency import ConcurrencyLimitedModel
from pydantic_ai.models.instrumented import InstrumentedModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.profiles import ModelProfile


class Changing(TestModel):
    tag = 'a'

    @property
    def profile(self):
        return ModelProfile(thinking_tags=(self.tag, '/'))


for wrap in (WrapperModel, InstrumentedModel, lambda model: ConcurrencyLimitedModel(model, 3)):
    inner = Changing()
    outer = wrap(inner)
    before = outer.profile.thinking_tags
    inner.tag = 'b'
    fact(type(outer).__name__, [before, outer.profile.thinking_tags])
