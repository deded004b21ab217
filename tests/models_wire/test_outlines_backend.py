"""Models of Outlines on a real backend: `transformers`, with a model of noise that is made here. Needs `torch`."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from stead import Agent
from stead.models.outlines import OutlinesModel

pytest.importorskip('outlines', reason='the package outlines is not installed')
torch: Any = pytest.importorskip('torch', reason='the package torch is not installed')
transformers: Any = pytest.importorskip('transformers', reason='the package transformers is not installed')
tokenizers: Any = pytest.importorskip('tokenizers', reason='the package tokenizers is not installed')
pytestmark = pytest.mark.filterwarnings('ignore')

TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"


class City(BaseModel):
    name: str
    capital: bool


@pytest.fixture(scope='module')
def model() -> OutlinesModel:
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {piece: place for place, piece in enumerate(['<s>', '</s>', *alphabet])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token='<s>', eos_token='</s>', pad_token='</s>'
    )
    fast.chat_template = TEMPLATE
    torch.manual_seed(0)
    size = {'n_positions': 2048, 'n_embd': 32, 'n_layer': 1, 'n_head': 2}
    config = transformers.GPT2Config(vocab_size=len(vocabulary), bos_token_id=0, eos_token_id=1, **size)
    return OutlinesModel.from_transformers(transformers.GPT2LMHeadModel(config), fast)


def test_an_output_is_held_to_its_schema_by_the_decoder(model: OutlinesModel) -> None:
    agent = Agent(model, output_type=City, model_settings={'max_tokens': 1000, 'temperature': 1.0})
    assert isinstance(agent.run_sync('Bonn?').output, City)


def test_settings_are_those_of_the_backend(model: OutlinesModel) -> None:
    def output(**settings: Any) -> str:
        return Agent(model, model_settings={'max_tokens': 8, **settings}).run_sync('hi').output

    assert output(temperature=0.0) == output(temperature=0.0)
    assert output(logit_bias={'40': 1000}) == output(logit_bias={'40': 1000}, temperature=2.0)
    assert len({*output(logit_bias={'40': 1000})}) == 1
    assert len(output(logit_bias={'40': 1000})) == 8
