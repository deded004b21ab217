"""Names of capabilities in specs, and which of them can be made from one."""

from pydantic_ai import capabilities
from pydantic_ai.capabilities import AbstractCapability

for name in (
    'AbstractCapability',
    'Capability',
    'CombinedCapability',
    'DynamicCapability',
    'HandleDeferredToolCalls',
    'Hooks',
    'IncludeToolReturnSchemas',
    'Instrumentation',
    'NativeTool',
    'PrefixTools',
    'PrepareOutputTools',
    'PrepareTools',
    'ProcessEventStream',
    'ProcessHistory',
    'ReinjectSystemPrompt',
    'SetToolMetadata',
    'ThreadExecutor',
    'Thinking',
    'Toolset',
    'WrapperCapability',
):
    print(name, getattr(capabilities, name).get_serialization_name())


def build(label, make):
    try:
        print(label, repr(make()))
    except Exception as error:
        print(label, type(error).__name__)


build('thinking', lambda: capabilities.Thinking.from_spec('high').effort)
build('thinking by name', lambda: capabilities.Thinking.from_spec(effort='low').effort)
build('thinking alone', lambda: capabilities.Thinking.from_spec().effort)
build('reinject', lambda: capabilities.ReinjectSystemPrompt.from_spec(replace_existing=True).replace_existing)
build('schemas', lambda: capabilities.IncludeToolReturnSchemas.from_spec(tools=['a']).tools)
build('metadata', lambda: capabilities.SetToolMetadata.from_spec(tools=['a'], code=True).metadata)
build('prefix', lambda: type(capabilities.PrefixTools.from_spec(prefix='p', capability='Thinking').wrapped).__name__)


class Mine(AbstractCapability):
    def __init__(self, a, b=2):
        self.a, self.b = a, b


build('own', lambda: vars(Mine.from_spec(1)))
build('own by name', lambda: vars(Mine.from_spec(a=3, b=4)))
build('own, nothing', lambda: vars(Mine.from_spec()))
print(Mine.get_serialization_name())
