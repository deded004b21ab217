"""The public names of stead, for type checkers; `tests/test_exports.py` holds it equal to `__init__.py`."""

from .agent import (
    Agent as Agent,
)
from .agent import (
    AgentModelSettings as AgentModelSettings,
)
from .agent import (
    CallToolsNode as CallToolsNode,
)
from .agent import (
    EndStrategy as EndStrategy,
)
from .agent import (
    ModelRequestNode as ModelRequestNode,
)
from .agent import (
    UserPromptNode as UserPromptNode,
)
from .agent import (
    capture_run_messages as capture_run_messages,
)
from .agent.abstract import (
    AgentRetries as AgentRetries,
)
from .capabilities import (
    AgentCapability as AgentCapability,
)
from .capabilities import (
    CapabilityFunc as CapabilityFunc,
)
from .concurrency import (
    AbstractConcurrencyLimiter as AbstractConcurrencyLimiter,
)
from .concurrency import (
    AnyConcurrencyLimit as AnyConcurrencyLimit,
)
from .concurrency import (
    ConcurrencyLimit as ConcurrencyLimit,
)
from .concurrency import (
    ConcurrencyLimiter as ConcurrencyLimiter,
)
from .exceptions import (
    AgentRunError as AgentRunError,
)
from .exceptions import (
    ApprovalRequired as ApprovalRequired,
)
from .exceptions import (
    CallDeferred as CallDeferred,
)
from .exceptions import (
    ConcurrencyLimitExceeded as ConcurrencyLimitExceeded,
)
from .exceptions import (
    FallbackExceptionGroup as FallbackExceptionGroup,
)
from .exceptions import (
    IncompleteToolCall as IncompleteToolCall,
)
from .exceptions import (
    ModelAPIError as ModelAPIError,
)
from .exceptions import (
    ModelHTTPError as ModelHTTPError,
)
from .exceptions import (
    ModelRetry as ModelRetry,
)
from .exceptions import (
    SkipModelRequest as SkipModelRequest,
)
from .exceptions import (
    SkipToolExecution as SkipToolExecution,
)
from .exceptions import (
    SkipToolValidation as SkipToolValidation,
)
from .exceptions import (
    UndrainedPendingMessagesError as UndrainedPendingMessagesError,
)
from .exceptions import (
    UnexpectedModelBehavior as UnexpectedModelBehavior,
)
from .exceptions import (
    UsageLimitExceeded as UsageLimitExceeded,
)
from .exceptions import (
    UserError as UserError,
)
from .format_prompt import (
    format_as_xml as format_as_xml,
)
from .messages import (
    AgentStreamEvent as AgentStreamEvent,
)
from .messages import (
    AudioFormat as AudioFormat,
)
from .messages import (
    AudioMediaType as AudioMediaType,
)
from .messages import (
    AudioUrl as AudioUrl,
)
from .messages import (
    BaseToolCallPart as BaseToolCallPart,
)
from .messages import (
    BaseToolReturnPart as BaseToolReturnPart,
)
from .messages import (
    BinaryContent as BinaryContent,
)
from .messages import (
    BinaryImage as BinaryImage,
)
from .messages import (
    CachePoint as CachePoint,
)
from .messages import (
    CompactionPart as CompactionPart,
)
from .messages import (
    DocumentFormat as DocumentFormat,
)
from .messages import (
    DocumentMediaType as DocumentMediaType,
)
from .messages import (
    DocumentUrl as DocumentUrl,
)
from .messages import (
    FilePart as FilePart,
)
from .messages import (
    FileUrl as FileUrl,
)
from .messages import (
    FinalResultEvent as FinalResultEvent,
)
from .messages import (
    FinishReason as FinishReason,
)
from .messages import (
    FunctionToolCallEvent as FunctionToolCallEvent,
)
from .messages import (
    FunctionToolResultEvent as FunctionToolResultEvent,
)
from .messages import (
    HandleResponseEvent as HandleResponseEvent,
)
from .messages import (
    ImageFormat as ImageFormat,
)
from .messages import (
    ImageMediaType as ImageMediaType,
)
from .messages import (
    ImageUrl as ImageUrl,
)
from .messages import (
    InstructionPart as InstructionPart,
)
from .messages import (
    ModelMessage as ModelMessage,
)
from .messages import (
    ModelMessagesTypeAdapter as ModelMessagesTypeAdapter,
)
from .messages import (
    ModelRequest as ModelRequest,
)
from .messages import (
    ModelRequestPart as ModelRequestPart,
)
from .messages import (
    ModelResponse as ModelResponse,
)
from .messages import (
    ModelResponsePart as ModelResponsePart,
)
from .messages import (
    ModelResponsePartDelta as ModelResponsePartDelta,
)
from .messages import (
    ModelResponseState as ModelResponseState,
)
from .messages import (
    ModelResponseStreamEvent as ModelResponseStreamEvent,
)
from .messages import (
    MultiModalContent as MultiModalContent,
)
from .messages import (
    NativeToolCallPart as NativeToolCallPart,
)
from .messages import (
    NativeToolReturnPart as NativeToolReturnPart,
)
from .messages import (
    OutputToolCallEvent as OutputToolCallEvent,
)
from .messages import (
    OutputToolResultEvent as OutputToolResultEvent,
)
from .messages import (
    PartDeltaEvent as PartDeltaEvent,
)
from .messages import (
    PartEndEvent as PartEndEvent,
)
from .messages import (
    PartStartEvent as PartStartEvent,
)
from .messages import (
    RetryPromptPart as RetryPromptPart,
)
from .messages import (
    SystemPromptPart as SystemPromptPart,
)
from .messages import (
    TextContent as TextContent,
)
from .messages import (
    TextPart as TextPart,
)
from .messages import (
    TextPartDelta as TextPartDelta,
)
from .messages import (
    ThinkingPart as ThinkingPart,
)
from .messages import (
    ThinkingPartDelta as ThinkingPartDelta,
)
from .messages import (
    ToolCallEvent as ToolCallEvent,
)
from .messages import (
    ToolCallPart as ToolCallPart,
)
from .messages import (
    ToolCallPartDelta as ToolCallPartDelta,
)
from .messages import (
    ToolResultEvent as ToolResultEvent,
)
from .messages import (
    ToolReturn as ToolReturn,
)
from .messages import (
    ToolReturnPart as ToolReturnPart,
)
from .messages import (
    UploadedFile as UploadedFile,
)
from .messages import (
    UserContent as UserContent,
)
from .messages import (
    UserPromptPart as UserPromptPart,
)
from .messages import (
    VideoFormat as VideoFormat,
)
from .messages import (
    VideoMediaType as VideoMediaType,
)
from .messages import (
    VideoUrl as VideoUrl,
)
from .models import (
    JsonSchemaTransformer as JsonSchemaTransformer,
)
from .models import (
    ModelRequestContext as ModelRequestContext,
)
from .native_tools import (
    CodeExecutionTool as CodeExecutionTool,
)
from .native_tools import (
    FileSearchTool as FileSearchTool,
)
from .native_tools import (
    ImageGenerationTool as ImageGenerationTool,
)
from .native_tools import (
    MCPServerTool as MCPServerTool,
)
from .native_tools import (
    MemoryTool as MemoryTool,
)
from .native_tools import (
    UrlContextTool as UrlContextTool,
)
from .native_tools import (
    WebFetchTool as WebFetchTool,
)
from .native_tools import (
    WebSearchTool as WebSearchTool,
)
from .native_tools import (
    WebSearchUserLocation as WebSearchUserLocation,
)
from .native_tools import (
    XSearchTool as XSearchTool,
)
from .output import (
    NativeOutput as NativeOutput,
)
from .output import (
    PromptedOutput as PromptedOutput,
)
from .output import (
    StructuredDict as StructuredDict,
)
from .output import (
    TextOutput as TextOutput,
)
from .output import (
    ToolOutput as ToolOutput,
)
from .profiles import (
    DEFAULT_PROFILE as DEFAULT_PROFILE,
)
from .profiles import (
    InlineDefsJsonSchemaTransformer as InlineDefsJsonSchemaTransformer,
)
from .profiles import (
    ModelProfile as ModelProfile,
)
from .profiles import (
    ModelProfileSpec as ModelProfileSpec,
)
from .run import (
    AgentRun as AgentRun,
)
from .run import (
    AgentRunResult as AgentRunResult,
)
from .run import (
    AgentRunResultEvent as AgentRunResultEvent,
)
from .settings import (
    ModelSettings as ModelSettings,
)
from .settings import (
    ToolChoice as ToolChoice,
)
from .settings import (
    ToolOrOutput as ToolOrOutput,
)
from .tools import (
    AgentNativeTool as AgentNativeTool,
)
from .tools import (
    DeferredToolRequests as DeferredToolRequests,
)
from .tools import (
    DeferredToolResults as DeferredToolResults,
)
from .tools import (
    RunContext as RunContext,
)
from .tools import (
    Tool as Tool,
)
from .tools import (
    ToolApproved as ToolApproved,
)
from .tools import (
    ToolDefinition as ToolDefinition,
)
from .tools import (
    ToolDenied as ToolDenied,
)
from .toolsets import (
    AbstractToolset as AbstractToolset,
)
from .toolsets import (
    AgentToolset as AgentToolset,
)
from .toolsets import (
    ApprovalRequiredToolset as ApprovalRequiredToolset,
)
from .toolsets import (
    CombinedToolset as CombinedToolset,
)
from .toolsets import (
    DeferredLoadingToolset as DeferredLoadingToolset,
)
from .toolsets import (
    ExternalToolset as ExternalToolset,
)
from .toolsets import (
    FilteredToolset as FilteredToolset,
)
from .toolsets import (
    FunctionToolset as FunctionToolset,
)
from .toolsets import (
    IncludeReturnSchemasToolset as IncludeReturnSchemasToolset,
)
from .toolsets import (
    PrefixedToolset as PrefixedToolset,
)
from .toolsets import (
    PreparedToolset as PreparedToolset,
)
from .toolsets import (
    RenamedToolset as RenamedToolset,
)
from .toolsets import (
    SetMetadataToolset as SetMetadataToolset,
)
from .toolsets import (
    ToolsetFunc as ToolsetFunc,
)
from .toolsets import (
    ToolsetTool as ToolsetTool,
)
from .toolsets import (
    WrapperToolset as WrapperToolset,
)
from .usage import (
    RequestUsage as RequestUsage,
)
from .usage import (
    RunUsage as RunUsage,
)
from .usage import (
    UsageLimits as UsageLimits,
)

__version__: str
