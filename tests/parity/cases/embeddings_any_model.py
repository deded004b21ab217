"""Embedders with a test model: inputs, settings, results, overrides, wrappers and spans."""

# needs: opentelemetry.sdk

import json

from _common import fact
from pydantic_ai import Embedder, EmbeddingModel, EmbeddingResult, EmbeddingSettings
from pydantic_ai.embeddings import (
    InstrumentedEmbeddingModel,
    TestEmbeddingModel,
    WrapperEmbeddingModel,
    infer_embedding_model,
    instrument_embedding_model,
    merge_embedding_settings,
)
from pydantic_ai.exceptions import UserError


def show(result):
    rest = [result.model_name, result.provider_name, result.provider_details, result.usage.input_tokens]
    return [result.embeddings, result.inputs, result.input_type, *rest, result.provider_response_id is not None]


def failure(what, call):
    try:
        fact(what, call())
    except (ValueError, IndexError, LookupError, UserError, NotImplementedError) as error:
        kinds = (ValueError, IndexError, NotImplementedError, LookupError)
        fact(what, next((kind.__name__ for kind in kinds if isinstance(error, kind)), 'UserError'))


model = TestEmbeddingModel()
embedder = Embedder(model)
fact('model', [model.model_name, model.system, model.base_url, model.settings, embedder.instrument])
fact('query', show(embedder.embed_query_sync('hello')))
result = embedder.embed_documents_sync(['a b c', 'd, e. f:g'])
fact('documents', show(result))
fact('tuple', show(embedder.embed_documents_sync(('a', 'b'))))
fact('none', show(embedder.embed_sync([], input_type='query')))
fact('items', [result[0], result['a b c'], result[-1]])
for key in (5, 'not there'):
    failure('missing', lambda key=key: result[key])
fact('counted', [embedder.count_tokens_sync(text) for text in ('one two three', 'a, b.', '')])
fact('most', embedder.max_input_tokens_sync())

named = TestEmbeddingModel('m', provider_name='p', dimensions=3, settings={'dimensions': 2, 'truncate': True})
layered = Embedder(named, settings={'dimensions': 4, 'extra_body': {'a': 1}})
fact('layers', show(layered.embed_query_sync('q', settings={'dimensions': 5})))
fact('settings', [named.last_settings, layered.embed_query_sync('q') and named.last_settings])
with layered.override(model=model):
    fact('inside', layered.embed_query_sync('q').model_name)
with layered.override():
    fact('nothing overridden', layered.embed_query_sync('q').model_name)
fact('outside', layered.embed_query_sync('q').model_name)
for base, over in (({'a': 1, 'b': {'x': 1}}, {'b': {'y': 2}}), (None, {'a': 1}), ({'a': 1}, None), (None, None)):
    fact('merged', merge_embedding_settings(base, over))
fact('prepared', [model.prepare_embed('x'), named.prepare_embed(['x'], EmbeddingSettings(dimensions=1))])
for name in ('nobody:x', 'openai', 'foo'):
    failure(name, lambda name=name: infer_embedding_model(name))
fact('same', infer_embedding_model(model) is model)
failure('early', lambda: Embedder('nobody:x', defer_model_check=False))
fact('late', Embedder('nobody:x').model)


class Own(EmbeddingModel):
    model_name = 'own'
    system = 'sys'
    base_url = 'https://example.com'

    async def embed(self, inputs, *, input_type, settings=None):
        inputs, settings = self.prepare_embed(inputs, settings)
        names = {'model_name': 'own', 'provider_name': 'sys'}
        return EmbeddingResult([[1.0]] * len(inputs), inputs=inputs, input_type=input_type, **names)


own = Own(settings={'dimensions': 1})
fact('own', show(Embedder(own).embed_sync('a', input_type='query')))
failure('cannot count', lambda: Embedder(own).count_tokens_sync('a'))
fact('not known', Embedder(own).max_input_tokens_sync())
wrapper = WrapperEmbeddingModel(own)
fact('wrapper', [wrapper.model_name, wrapper.system, wrapper.base_url, wrapper.settings])
fact('wrapped', show(Embedder(wrapper).embed_sync('a', input_type='document')))
once = instrument_embedding_model(own, True)
fact('instrumented', [type(once).__name__, type(instrument_embedding_model(once, True).wrapped).__name__])
fact('not instrumented', type(instrument_embedding_model(own, False)).__name__)

from opentelemetry.sdk.trace import TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: E402
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: E402
from pydantic_ai.models.instrumented import InstrumentationSettings  # noqa: E402

exporter, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))


class Failing(TestEmbeddingModel):
    async def embed(self, *args, **kwargs):
        raise ValueError('no')


def spans(what):
    for span in exporter.get_finished_spans():
        attributes = {key: value for key, value in span.attributes.items() if key != 'gen_ai.response.id'}
        schema = json.loads(attributes.pop('logfire.json_schema'))
        fact(
            what, [span.name, dict(sorted(attributes.items())), schema, span.status.status_code.name, len(span.events)]
        )
    exporter.clear()


for options in ({}, {'include_content': False}, {'version': 5}):
    settings = InstrumentationSettings(tracer_provider=provider, **options)
    Embedder(model, instrument=settings).embed_documents_sync(['ab', 'ü'], settings={'dimensions': 2})
    spans(str(options))
settings = InstrumentationSettings(tracer_provider=provider)
Embedder(own, instrument=settings).embed_query_sync('a')
spans('with an address')
failure('fails', lambda: Embedder(Failing(), instrument=settings).embed_query_sync('a'))
spans('failed')
Embedder(model, instrument=settings).count_tokens_sync('a')
fact('explicit', InstrumentedEmbeddingModel(model, settings).instrumentation_settings is settings)
Embedder.instrument_all(settings)
Embedder(model).embed_query_sync('a')
Embedder(model, instrument=False).embed_query_sync('a')
Embedder.instrument_all(False)
Embedder(model).embed_query_sync('a')
fact('spans of all', len(exporter.get_finished_spans()))
