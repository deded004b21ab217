"""Names that programs import from modules that do not define them are the things themselves."""

import importlib

from _common import fact

ELSEWHERE = {
    'models': 'ToolDefinition ModelRequest BinaryImage FinalResultEvent ModelMessage UserError ModelResponsePart Usage',
    'result': 'RunContext ToolManager UsageLimits OutputSchema',
    'agent': 'AbstractToolset CombinedToolset DeferredToolResults FunctionToolset RunContext Tool ToolDefinition',
    'agent.abstract': 'AgentStream Tool TemplateStr',
    'agent.wrapper': 'AgentRetries Tool RunOutputDataT',
    'capabilities.abstract': 'AbstractToolset ModelResponse ModelRetry RunContext',
    'capabilities.hooks': 'ToolCallPart ToolDefinition ModelRetry',
    'capabilities.prefix_tools': 'PrefixedToolset CapabilitySpec',
    'common_tools.x_search': 'Agent KnownModelName Model UnexpectedModelBehavior',
    'mcp': 'AbstractToolset RunContext ToolDefinition ModelSettings',
    'models.fallback': 'RunContext is_async_callable get_first_param_type',
    'models.function': 'BinaryContent RetryPromptPart SystemPromptPart TextContent ThinkingPart',
    'models.openai': 'AbstractNativeTool AudioUrl CachePoint OpenAIModelProfile number_to_datetime',
    'models.groq': 'ModelMessage FinishReason UserContent',
    'models.test': 'FilePart ThinkingPart NativeToolCallPart',
    'output': 'DeferredToolRequests RunContext ToolCallPart ToolDefinition',
    'providers.ollama': 'Provider OpenAIModelProfile qwen_model_profile create_async_http_client',
    'run': 'BaseNode GraphRun GraphRunContext NodeStep',
    'tool_manager': 'RunUsage ToolRetryError UnexpectedModelBehavior CallDeferred',
    'tools': 'FunctionSignature RetryPromptPart ToolReturn ModelRetry',
    'toolsets.abstract': 'RunContext ToolDefinition InstructionPart',
}
HOMES = (
    'messages tools toolsets exceptions models settings usage output agent capabilities native_tools profiles.openai'
)
homes = [importlib.import_module('pydantic_ai.' + name) for name in HOMES.split()]
for place, names in ELSEWHERE.items():
    module = importlib.import_module(f'pydantic_ai.{place}')
    found = {}
    for name in names.split():
        if not hasattr(module, name):
            found[name] = None
            continue
        value = getattr(module, name)
        found[name] = any(getattr(home, name, None) is value for home in homes) or callable(value)
    fact(place, found)
