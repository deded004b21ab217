"""The public names of `stead.capabilities`, for type checkers. Written by `make stubs`."""

from .._contracts.model import (
    AgentModel as AgentModel,
    ModelSelection as ModelSelection,
    ModelSelector as ModelSelector,
)
from .._contracts.output import OutputContext as OutputContext
from ..journal import Journal as Journal
from ._context.pins import pin as pin
from ._dynamic import (
    AgentCapability as AgentCapability,
    CapabilityFunc as CapabilityFunc,
    DynamicCapability as DynamicCapability,
)
from ._event_methods import on_event as on_event
from ._registry import CAPABILITY_TYPES as CAPABILITY_TYPES
from ._skills import skills as skills
from ._tool_search import (
    ToolSearch as ToolSearch,
    ToolSearchFunc as ToolSearchFunc,
    ToolSearchLocalStrategy as ToolSearchLocalStrategy,
    ToolSearchNativeStrategy as ToolSearchNativeStrategy,
    ToolSearchStrategy as ToolSearchStrategy,
)
from .abstract import (
    AbstractCapability as AbstractCapability,
    AgentNode as AgentNode,
    CapabilityDescription as CapabilityDescription,
    CapabilityOrdering as CapabilityOrdering,
    CapabilityPosition as CapabilityPosition,
    CapabilityRef as CapabilityRef,
    NodeResult as NodeResult,
    RawOutput as RawOutput,
    RawToolArgs as RawToolArgs,
    ValidatedToolArgs as ValidatedToolArgs,
    WrapModelRequestHandler as WrapModelRequestHandler,
    WrapNodeRunHandler as WrapNodeRunHandler,
    WrapOutputProcessHandler as WrapOutputProcessHandler,
    WrapOutputValidateHandler as WrapOutputValidateHandler,
    WrapRunHandler as WrapRunHandler,
    WrapToolExecuteHandler as WrapToolExecuteHandler,
    WrapToolValidateHandler as WrapToolValidateHandler,
)
from .approval_policy import (
    ApprovalPolicy as ApprovalPolicy,
    ApprovalRule as ApprovalRule,
    ApprovalScope as ApprovalScope,
)
from .caching import Caching as Caching
from .capability import Capability as Capability
from .citations import Citations as Citations
from .combined import CombinedCapability as CombinedCapability
from .compaction import Compaction as Compaction
from .content_filter import RaiseContentFilterError as RaiseContentFilterError
from .deferred_tool_handler import HandleDeferredToolCalls as HandleDeferredToolCalls
from .hooks import Hooks as Hooks, HookTimeoutError as HookTimeoutError
from .image_generation import ImageGeneration as ImageGeneration
from .include_return_schemas import IncludeToolReturnSchemas as IncludeToolReturnSchemas
from .instrumentation import Instrumentation as Instrumentation
from .keep_last import KeepLast as KeepLast
from .local_workspace import LocalWorkspace as LocalWorkspace
from .log import Log as Log
from .mcp import MCP as MCP
from .model_fallback import ModelFallback as ModelFallback
from .native_or_local import NativeOrLocalTool as NativeOrLocalTool
from .native_tool import NativeTool as NativeTool
from .no_progress import (
    NoProgress as NoProgress,
    NoProgressError as NoProgressError,
    NoProgressWarning as NoProgressWarning,
)
from .offload_tool_results import OffloadToolResults as OffloadToolResults
from .prefix_tools import PrefixTools as PrefixTools
from .prepare_tools import PrepareOutputTools as PrepareOutputTools, PrepareTools as PrepareTools
from .process_event_stream import ProcessEventStream as ProcessEventStream
from .process_history import HistoryProcessor as HistoryProcessor, ProcessHistory as ProcessHistory
from .prompt_cache import (
    CacheBust as CacheBust,
    CacheBustError as CacheBustError,
    CacheBustWarning as CacheBustWarning,
    PromptCache as PromptCache,
)
from .reinject_system_prompt import ReinjectSystemPrompt as ReinjectSystemPrompt
from .request_input import RequestInput as RequestInput
from .resolve_model_id import ModelIdResolver as ModelIdResolver, ResolveModelId as ResolveModelId
from .select_model import SelectModel as SelectModel
from .set_tool_metadata import SetToolMetadata as SetToolMetadata
from .summarise import Summarise as Summarise, SummaryFailed as SummaryFailed
from .terminal_approvals import ReadLine as ReadLine, TerminalApprovals as TerminalApprovals
from .thinking import Thinking as Thinking
from .thread_executor import ThreadExecutor as ThreadExecutor, UseThreadExecutor as UseThreadExecutor
from .toolset import Toolset as Toolset
from .truncate_tool_results import TruncateToolResults as TruncateToolResults
from .web_fetch import WebFetch as WebFetch
from .web_search import WebSearch as WebSearch
from .wrapper import WrapperCapability as WrapperCapability
from .x_search import XSearch as XSearch

_SPEC_MODULES: dict[str, tuple[str, ...]]
