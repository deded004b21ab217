"""The public names of `stead.toolsets`, for type checkers. Written by `make stubs`."""

from .._contracts.toolset import AgentToolset as AgentToolset, ToolsetFunc as ToolsetFunc
from ._dynamic import DynamicToolset as DynamicToolset
from .abstract import AbstractToolset as AbstractToolset, ToolsetTool as ToolsetTool
from .approval_required import ApprovalRequiredToolset as ApprovalRequiredToolset
from .combined import CombinedToolset as CombinedToolset
from .deferred_loading import DeferredLoadingToolset as DeferredLoadingToolset
from .external import DeferredToolset as DeferredToolset, ExternalToolset as ExternalToolset
from .filtered import FilteredToolset as FilteredToolset
from .function import FunctionToolset as FunctionToolset
from .include_return_schemas import IncludeReturnSchemasToolset as IncludeReturnSchemasToolset
from .prefixed import PrefixedToolset as PrefixedToolset
from .prepared import PreparedToolset as PreparedToolset
from .renamed import RenamedToolset as RenamedToolset
from .set_metadata import EffectToolset as EffectToolset, SetMetadataToolset as SetMetadataToolset
from .wrapper import Listing as Listing, WrapperToolset as WrapperToolset
