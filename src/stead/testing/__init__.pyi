"""The public names of `stead.testing`, for type checkers. Written by `make stubs`."""

from ._assertions import RunAssertions as RunAssertions, assert_run as assert_run
from ._cassette import (
    Cassette as Cassette,
    CassetteMiss as CassetteMiss,
    CassetteMode as CassetteMode,
    cassette as cassette,
)
from ._crashes import CrashReport as CrashReport, CrashScene as CrashScene, crash_everywhere as crash_everywhere
from ._faults import (
    Faults as Faults,
    connection_lost as connection_lost,
    empty as empty,
    faults as faults,
    fine as fine,
    garbage as garbage,
    malformed_args as malformed_args,
    raises as raises,
    returns as returns,
    slow as slow,
    status as status,
    timeout as timeout,
    truncated as truncated,
    works as works,
)
from ._scripted import (
    ScriptedModel as ScriptedModel,
    ScriptError as ScriptError,
    ScriptStep as ScriptStep,
    call as call,
    expect as expect,
    offered as offered,
    prompted as prompted,
    say as say,
    think as think,
    tool_retried as tool_retried,
    tool_returned as tool_returned,
)
from ._simulate import (
    SimulatedRun as SimulatedRun,
    SimulationFailed as SimulationFailed,
    SimulationReport as SimulationReport,
    simulate as simulate,
)
from ._stores import check_store as check_store
from ._tape import CassetteError as CassetteError
