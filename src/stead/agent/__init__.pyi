"""The public names of `stead.agent`, for type checkers. Written by `make stubs`."""

from .._contracts.call_policy import EndStrategy as EndStrategy, ParallelExecutionMode as ParallelExecutionMode
from .._loop.nodes import (
    CallToolsNode as CallToolsNode,
    ModelRequestNode as ModelRequestNode,
    UserPromptNode as UserPromptNode,
)
from ..exceptions import PydanticAIDeprecationWarning as PydanticAIDeprecationWarning
from ..models.instrumented import InstrumentationSettings as InstrumentationSettings
from ..result import AgentRunEvents as AgentRunEvents
from ..run import AgentRun as AgentRun, AgentRunResult as AgentRunResult
from ..tools import NativeToolFunc as NativeToolFunc, ToolDenied as ToolDenied, ToolsPrepareFunc as ToolsPrepareFunc
from ._agent import Agent as Agent
from ._explain import Explanation as Explanation
from ._options import (
    AgentInstructions as AgentInstructions,
    AgentMetadata as AgentMetadata,
    AgentModelSettings as AgentModelSettings,
    AgentRetries as AgentRetries,
    EventOptions as EventOptions,
    RunOptions as RunOptions,
    StreamOptions as StreamOptions,
)
from ._rare_options import (
    AgentOptions as AgentOptions,
    FromSpecOptions as FromSpecOptions,
    OverrideOptions as OverrideOptions,
)
from ._scope import capture_run_messages as capture_run_messages
from .abstract import (
    AbstractAgent as AbstractAgent,
    EventStreamHandler as EventStreamHandler,
    EventStreamProcessor as EventStreamProcessor,
)
from .for_all import log as log
from .wrapper import WrapperAgent as WrapperAgent
