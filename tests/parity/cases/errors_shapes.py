"""Every error: what it is a kind of, its text, repr and attributes, and that a copy keeps them."""

import copy
import json
import pickle

import pydantic_ai.exceptions as exceptions

CONSTRUCTORS = [
    exceptions.ModelRetry('try again'),
    exceptions.CallDeferred(),
    exceptions.CallDeferred({'a': 1}),
    exceptions.ApprovalRequired(metadata={'b': 2}),
    exceptions.UserError('bad'),
    exceptions.UndrainedPendingMessagesError('left'),
    exceptions.AgentRunError('ended'),
    exceptions.UsageLimitExceeded('over'),
    exceptions.ConcurrencyLimitExceeded('full'),
    exceptions.UnexpectedModelBehavior('odd'),
    exceptions.UnexpectedModelBehavior('odd', ''),
    exceptions.UnexpectedModelBehavior('odd', 'no json'),
    exceptions.UnexpectedModelBehavior('odd', '{"a":[1,2]}'),
    exceptions.UnexpectedModelBehavior('odd', body='{"half":'),
    exceptions.ContentFilterError('refused', body='b'),
    exceptions.IncompleteToolCall('cut'),
    exceptions.ModelAPIError('model', 'gone'),
    exceptions.ModelHTTPError(500, 'model'),
    exceptions.ModelHTTPError(status_code=404, model_name='model', body={'error': 'x'}),
    exceptions.FallbackExceptionGroup('all failed', [ValueError('x')]),
]
BASES = {
    name: getattr(exceptions, name)
    for name in ('UserError', 'AgentRunError', 'UnexpectedModelBehavior', 'ModelAPIError')
}
BASES.update(RuntimeError=RuntimeError, ExceptionGroup=exceptions.FallbackExceptionGroup.__bases__[0])
OWN = ['message', 'metadata', 'body', 'model_name', 'status_code']
for error in CONSTRUCTORS:
    kinds = [name for name, base in BASES.items() if isinstance(error, base)]
    attributes = {name: repr(getattr(error, name)) for name in OWN if hasattr(error, name)}
    print(json.dumps([type(error).__name__, kinds, str(error), repr(error), len(error.args), attributes]))
    for twin in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        same = type(twin) is type(error) and str(twin) == str(error)
        same_fields = all(repr(getattr(twin, name, None)) == repr(getattr(error, name, None)) for name in OWN)
        print(json.dumps([same, same_fields]))

for name, argument in (
    ('SkipModelRequest', 'response'),
    ('SkipToolValidation', 'validated_args'),
    ('SkipToolExecution', 'result'),
):
    error = getattr(exceptions, name)(**{argument: {'x': 1}})
    print(json.dumps([name, str(error), repr(error), getattr(error, argument)]))
try:
    exceptions.FallbackExceptionGroup('none', [])
except ValueError as error:
    print(type(error).__name__)
group = exceptions.FallbackExceptionGroup('two', [ValueError('x'), KeyError('k')])
print(json.dumps([repr(group.split(ValueError)[0]), type(group.derive([ValueError()])).__name__]))
