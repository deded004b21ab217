"""The public names of `stead`, for type checkers. Written by `make stubs`."""

from ._kit.version import __version__ as __version__
from ._specs.template import TemplateStr as TemplateStr
from .agent import (
    Agent as Agent,
    AgentModelSettings as AgentModelSettings,
    CallToolsNode as CallToolsNode,
    EndStrategy as EndStrategy,
    ModelRequestNode as ModelRequestNode,
    UserPromptNode as UserPromptNode,
    capture_run_messages as capture_run_messages,
    log as log,
)
from .agent.abstract import AgentRetries as AgentRetries
from .agent.spec import AgentSpec as AgentSpec
from .capabilities import AgentCapability as AgentCapability, CapabilityFunc as CapabilityFunc
from .concurrency import (
    AbstractConcurrencyLimiter as AbstractConcurrencyLimiter,
    AnyConcurrencyLimit as AnyConcurrencyLimit,
    ConcurrencyLimit as ConcurrencyLimit,
    ConcurrencyLimiter as ConcurrencyLimiter,
)
from .embeddings import (
    Embedder as Embedder,
    EmbeddingModel as EmbeddingModel,
    EmbeddingResult as EmbeddingResult,
    EmbeddingSettings as EmbeddingSettings,
)
from .exceptions import (
    AgentRunError as AgentRunError,
    ApprovalRequired as ApprovalRequired,
    CallDeferred as CallDeferred,
    ConcurrencyLimitExceeded as ConcurrencyLimitExceeded,
    FallbackExceptionGroup as FallbackExceptionGroup,
    IncompleteToolCall as IncompleteToolCall,
    InvalidModelResponse as InvalidModelResponse,
    ModelAPIError as ModelAPIError,
    ModelHTTPError as ModelHTTPError,
    ModelRetry as ModelRetry,
    SkipModelRequest as SkipModelRequest,
    SkipToolExecution as SkipToolExecution,
    SkipToolValidation as SkipToolValidation,
    UndrainedPendingMessagesError as UndrainedPendingMessagesError,
    UnexpectedModelBehavior as UnexpectedModelBehavior,
    UsageLimitExceeded as UsageLimitExceeded,
    UserError as UserError,
)
from .format_prompt import format_as_xml as format_as_xml
from .messages import (
    AgentStreamEvent as AgentStreamEvent,
    AudioFormat as AudioFormat,
    AudioMediaType as AudioMediaType,
    AudioUrl as AudioUrl,
    BaseToolCallPart as BaseToolCallPart,
    BaseToolReturnPart as BaseToolReturnPart,
    BinaryContent as BinaryContent,
    BinaryImage as BinaryImage,
    CachePoint as CachePoint,
    CompactionPart as CompactionPart,
    DocumentFormat as DocumentFormat,
    DocumentMediaType as DocumentMediaType,
    DocumentUrl as DocumentUrl,
    FilePart as FilePart,
    FileUrl as FileUrl,
    FinalResultEvent as FinalResultEvent,
    FinishReason as FinishReason,
    FunctionToolCallEvent as FunctionToolCallEvent,
    FunctionToolProgressEvent as FunctionToolProgressEvent,
    FunctionToolResultEvent as FunctionToolResultEvent,
    HandleResponseEvent as HandleResponseEvent,
    ImageFormat as ImageFormat,
    ImageMediaType as ImageMediaType,
    ImageUrl as ImageUrl,
    InstructionPart as InstructionPart,
    ModelMessage as ModelMessage,
    ModelMessagesTypeAdapter as ModelMessagesTypeAdapter,
    ModelRequest as ModelRequest,
    ModelRequestPart as ModelRequestPart,
    ModelResponse as ModelResponse,
    ModelResponsePart as ModelResponsePart,
    ModelResponsePartDelta as ModelResponsePartDelta,
    ModelResponseState as ModelResponseState,
    ModelResponseStreamEvent as ModelResponseStreamEvent,
    MultiModalContent as MultiModalContent,
    NativeToolCallPart as NativeToolCallPart,
    NativeToolReturnPart as NativeToolReturnPart,
    OutputToolCallEvent as OutputToolCallEvent,
    OutputToolResultEvent as OutputToolResultEvent,
    PartDeltaEvent as PartDeltaEvent,
    PartEndEvent as PartEndEvent,
    PartStartEvent as PartStartEvent,
    RetryPromptPart as RetryPromptPart,
    SystemPromptPart as SystemPromptPart,
    TextContent as TextContent,
    TextPart as TextPart,
    TextPartDelta as TextPartDelta,
    ThinkingPart as ThinkingPart,
    ThinkingPartDelta as ThinkingPartDelta,
    ToolCallEvent as ToolCallEvent,
    ToolCallPart as ToolCallPart,
    ToolCallPartDelta as ToolCallPartDelta,
    ToolResultEvent as ToolResultEvent,
    ToolReturn as ToolReturn,
    ToolReturnPart as ToolReturnPart,
    UploadedFile as UploadedFile,
    UserContent as UserContent,
    UserPromptPart as UserPromptPart,
    VideoFormat as VideoFormat,
    VideoMediaType as VideoMediaType,
    VideoUrl as VideoUrl,
)
from .models import JsonSchemaTransformer as JsonSchemaTransformer, ModelRequestContext as ModelRequestContext
from .models.concurrency import (
    ConcurrencyLimitedModel as ConcurrencyLimitedModel,
    limit_model_concurrency as limit_model_concurrency,
)
from .models.instrumented import InstrumentationSettings as InstrumentationSettings
from .native_tools import (
    CodeExecutionTool as CodeExecutionTool,
    FileSearchTool as FileSearchTool,
    ImageGenerationTool as ImageGenerationTool,
    MCPServerTool as MCPServerTool,
    MemoryTool as MemoryTool,
    UrlContextTool as UrlContextTool,
    WebFetchTool as WebFetchTool,
    WebSearchTool as WebSearchTool,
    WebSearchUserLocation as WebSearchUserLocation,
    XSearchTool as XSearchTool,
)
from .output import (
    NativeOutput as NativeOutput,
    PromptedOutput as PromptedOutput,
    StructuredDict as StructuredDict,
    TextOutput as TextOutput,
    ToolOutput as ToolOutput,
)
from .profiles import (
    DEFAULT_PROFILE as DEFAULT_PROFILE,
    InlineDefsJsonSchemaTransformer as InlineDefsJsonSchemaTransformer,
    ModelProfile as ModelProfile,
    ModelProfileSpec as ModelProfileSpec,
)
from .result import AgentEventStream as AgentEventStream
from .run import AgentRun as AgentRun, AgentRunResult as AgentRunResult, AgentRunResultEvent as AgentRunResultEvent
from .settings import ModelSettings as ModelSettings, ToolChoice as ToolChoice, ToolOrOutput as ToolOrOutput
from .tools import (
    AgentNativeTool as AgentNativeTool,
    DeferredToolRequests as DeferredToolRequests,
    DeferredToolResults as DeferredToolResults,
    Done as Done,
    NotDone as NotDone,
    RunContext as RunContext,
    Tool as Tool,
    ToolApproved as ToolApproved,
    ToolDefinition as ToolDefinition,
    ToolDenied as ToolDenied,
    ToolErrors as ToolErrors,
)
from .toolsets import (
    AbstractToolset as AbstractToolset,
    AgentToolset as AgentToolset,
    ApprovalRequiredToolset as ApprovalRequiredToolset,
    CombinedToolset as CombinedToolset,
    DeferredLoadingToolset as DeferredLoadingToolset,
    EffectToolset as EffectToolset,
    ExternalToolset as ExternalToolset,
    FilteredToolset as FilteredToolset,
    FunctionToolset as FunctionToolset,
    IncludeReturnSchemasToolset as IncludeReturnSchemasToolset,
    PrefixedToolset as PrefixedToolset,
    PreparedToolset as PreparedToolset,
    RenamedToolset as RenamedToolset,
    SetMetadataToolset as SetMetadataToolset,
    ToolsetFunc as ToolsetFunc,
    ToolsetTool as ToolsetTool,
    WrapperToolset as WrapperToolset,
)
from .usage import Cost as Cost, RequestUsage as RequestUsage, RunUsage as RunUsage, UsageLimits as UsageLimits
