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


def made(label, make):
    try:
        print(label, repr(make()))
    except Exception as error:
        print(label, type(error).__name__)


made('thinking', lambda: capabilities.Thinking.from_spec('high').effort)
made('thinking by name', lambda: capabilities.Thinking.from_spec(effort='low').effort)
made('thinking alone', lambda: capabilities.Thinking.from_spec().effort)
made('reinject', lambda: capabilities.ReinjectSystemPrompt.from_spec(replace_existing=True).replace_existing)
made('schemas', lambda: capabilities.IncludeToolReturnSchemas.from_spec(tools=['a']).tools)
made('metadata', lambda: capabilities.SetToolMetadata.from_spec(tools=['a'], code=True).metadata)
made('prefix', lambda: type(capabilities.PrefixTools.from_spec(prefix='p', capability='Thinking').wrapped).__name__)


class Mine(AbstractCapability):
    def __init__(self, a, b=2):
        self.a, self.b = a, b


made('own', lambda: vars(Mine.from_spec(1)))
made('own by name', lambda: vars(Mine.from_spec(a=3, b=4)))
made('own, nothing', lambda: vars(Mine.from_spec()))
print(Mine.get_serialization_name())
