"""`Dataset`: cases and evaluators, in Python or in a file, and their evaluation."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, Generic, Union, cast

from pydantic import BaseModel, ConfigDict, Field, SkipValidation, TypeAdapter, create_model
from typing_extensions import Self, TypedDict, TypeVar, Unpack

from .._kit.aio import run_coroutine_sync
from .._kit.json_types import JsonObject
from .._specs.source import FORMATS, Format, Origin, load_yaml, parse
from .._specs.spec import SCHEMA_COMMENT, SCHEMA_PATH, NamedSpec
from ..agent.abstract import AbstractAgent
from ..journal import Journal
from ._running import (
    CaseRunner,
    Task,
    analyse,
    check_repeat,
    increment_eval_metric,
    noting_runs,
    set_eval_attribute,
)
from .evaluators._base import Evaluator, InFiles, InputsT, MetadataT, OutputT
from .evaluators._common import Contains, Equals, EqualsExpected, IsInstance, MaxDuration
from .evaluators._facts import AskedApproval, Called, CalledInOrder, MaxCost, MaxTokens, NeverCalled
from .evaluators._judge import LLMJudge
from .evaluators.report_common import DEFAULT_REPORT_EVALUATORS
from .evaluators.report_evaluator import ReportEvaluator
from .lifecycle import Case, CaseLifecycle
from .reporting import EvaluationReport, ReportCase, ReportCaseFailure

__all__ = ('Case', 'Dataset', 'case_of_run', 'increment_eval_metric', 'run_agent', 'set_eval_attribute')

T = TypeVar('T', bound=InFiles)
EVALUATORS: tuple[type[Evaluator], ...] = (
    *(Equals, EqualsExpected, Contains, IsInstance, MaxDuration, LLMJudge),
    *(Called, NeverCalled, CalledInOrder, AskedApproval, MaxTokens, MaxCost),
)
"""The evaluators that files may name."""


class EvaluateOptions(TypedDict, total=False):
    """Options of `Dataset.evaluate`."""

    name: str | None
    """What the report is called; by default `task_name`."""
    max_concurrency: int | None
    """How many cases run at the same time; by default all."""
    progress: bool
    """Whether the terminal shows how many are done, if the package rich is installed; it does by default."""
    retry_task: Mapping[str, Any] | None
    """Arguments of `tenacity.AsyncRetrying` for tasks that fail."""
    retry_evaluators: Mapping[str, Any] | None
    """The same for evaluators."""
    task_name: str | None
    """What the task is called; by default by its function."""
    metadata: JsonObject | None
    """What the report says of the evaluation."""
    repeat: int
    """How many times each case is run."""
    lifecycle: type[CaseLifecycle] | None
    """What is done before and after each case."""


class Dataset(BaseModel, Generic[InputsT, OutputT, MetadataT], arbitrary_types_allowed=True, extra='forbid'):
    """Cases, and evaluators of all of them."""

    name: Union[str, None] = None
    """The name of the data set."""
    cases: SkipValidation[list[Case[InputsT, OutputT, MetadataT]]]
    """The cases."""
    evaluators: SkipValidation[list[Evaluator[InputsT, OutputT, MetadataT]]] = []
    """Evaluators of each case."""
    report_evaluators: SkipValidation[list[ReportEvaluator[InputsT, OutputT, MetadataT]]] = []
    """Evaluators of the whole report."""

    def __init__(
        self,
        *,
        name: str | None = None,
        cases: Sequence[Case[InputsT, OutputT, MetadataT]],
        evaluators: Sequence[Evaluator[InputsT, OutputT, MetadataT]] = (),
        report_evaluators: Sequence[ReportEvaluator[InputsT, OutputT, MetadataT]] = (),
    ) -> None:
        """Describe a data set; the arguments are the attributes.

        Raises:
            ValueError: Two cases have the same name.
        """
        super().__init__(name=name, cases=[], evaluators=[*evaluators], report_evaluators=[*report_evaluators])
        for case in cases:
            self._add(case)

    def _add(self, case: Case[InputsT, OutputT, MetadataT]) -> None:
        if case.name is not None and any(one.name == case.name for one in self.cases):
            raise ValueError(f'Duplicate case name: {case.name!r}')
        self.cases.append(case)

    def add_case(
        self,
        *,
        name: str | None = None,
        inputs: InputsT,
        metadata: MetadataT | None = None,
        expected_output: OutputT | None = None,
        evaluators: Sequence[Evaluator[InputsT, OutputT, MetadataT]] = (),
    ) -> None:
        """Add a case; the arguments are those of `Case`.

        Raises:
            ValueError: There is a case of this name.
        """
        self._add(
            Case(
                name=name,
                inputs=inputs,
                metadata=metadata,
                expected_output=expected_output,
                evaluators=evaluators,
            )
        )

    def add_evaluator(
        self, evaluator: Evaluator[InputsT, OutputT, MetadataT], specific_case: str | None = None
    ) -> None:
        """Add an evaluator.

        Args:
            evaluator: The evaluator.
            specific_case: The name of the case that it is for; by default it is for all.

        Raises:
            ValueError: There is no such case.
        """
        if specific_case is None:
            self.evaluators.append(evaluator)
            return
        case = next((one for one in self.cases if one.name == specific_case), None)
        if case is None:
            raise ValueError(f'Case {specific_case!r} not found in the dataset')
        case.evaluators.append(evaluator)

    # Evaluation

    async def evaluate(
        self,
        task: Callable[[InputsT], Any],
        **options: Unpack[EvaluateOptions],
    ) -> EvaluationReport:
        """Run a task for each case, and let evaluators say something of what it returned.

        Args:
            task: A function of the inputs, sync or async; see `run_agent` for an agent.
            options: See `EvaluateOptions`.

        Raises:
            ValueError: `repeat` is not a number of times.
            ImportError: tenacity is not installed, and something is to be tried again.
        """
        repeat = options.get('repeat', 1)
        check_repeat(repeat)
        of_task = options.get('task_name') or getattr(task, '__name__', None) or type(task).__name__
        name = options.get('name') or of_task
        runner = CaseRunner(
            cast(Task, task),
            self.evaluators,
            options.get('retry_task'),
            options.get('retry_evaluators'),
            options.get('lifecycle') or CaseLifecycle,
        )
        work: list[tuple[Case, str, str | None]] = []
        for number, case in enumerate(self.cases, 1):
            own = case.name or f'Case {number}'
            several = repeat > 1
            work += [
                (case, f'{own} [{turn}/{repeat}]' if several else own, own if several else None)
                for turn in range(1, repeat + 1)
            ]
        places = asyncio.Semaphore(options.get('max_concurrency') or max(len(work), 1))
        with noting_runs(), _progress(options.get('progress', True), name, len(work)) as done:

            async def one(case: Case, own: str, source: str | None) -> Any:
                async with places:
                    found = await runner.run(case, own, source)
                done()
                return found

            tasks = [asyncio.ensure_future(one(*each)) for each in work]
            try:
                found = await asyncio.gather(*tasks)
            finally:
                for running in tasks:
                    running.cancel()
        report: EvaluationReport = EvaluationReport(
            name=name,
            cases=[one for one in found if isinstance(one, ReportCase)],
            failures=[one for one in found if isinstance(one, ReportCaseFailure)],
            experiment_metadata=options.get('metadata'),
        )
        await analyse(report, self.report_evaluators)
        return report

    def evaluate_sync(self, task: Callable[[InputsT], Any], **options: Unpack[EvaluateOptions]) -> EvaluationReport:
        """Do what `evaluate` does, from sync code; the options are the same."""
        return run_coroutine_sync(self.evaluate(task, **options))

    # Files

    @classmethod
    def from_file(
        cls,
        path: str | PathLike[str],
        fmt: Format | None = None,
        custom_evaluator_types: Sequence[type[Evaluator]] = (),
        custom_report_evaluator_types: Sequence[type[ReportEvaluator]] = (),
    ) -> Self:
        """Read a data set from a file.

        Args:
            path: The file.
            fmt: How it is written; by default the suffix says it.
            custom_evaluator_types: Evaluators of your own that it names.
            custom_report_evaluator_types: The same for those of the report.

        Raises:
            ValueError: The format is not known, or the file does not describe a data set.
            ImportError: It is YAML, and PyYAML is not installed.
        """
        path = Path(path)
        contents = path.read_text(encoding='utf-8') if _format(path, fmt) else ''
        return cls.from_text(
            contents,
            _format(path, fmt),
            custom_evaluator_types,
            custom_report_evaluator_types,
            default_name=path.stem,
        )

    @classmethod
    def from_text(
        cls,
        contents: str,
        fmt: Format = 'yaml',
        custom_evaluator_types: Sequence[type[Evaluator]] = (),
        custom_report_evaluator_types: Sequence[type[ReportEvaluator]] = (),
        *,
        default_name: str | None = None,
    ) -> Self:
        """Read a data set from text; see `from_file`."""
        data = parse(Origin('The data set', contents, fmt))
        return cls.from_dict(
            cast(JsonObject, data), custom_evaluator_types, custom_report_evaluator_types, default_name=default_name
        )

    @classmethod
    def from_dict(
        cls,
        data: JsonObject,
        custom_evaluator_types: Sequence[type[Evaluator]] = (),
        custom_report_evaluator_types: Sequence[type[ReportEvaluator]] = (),
        *,
        default_name: str | None = None,
    ) -> Self:
        """Read a data set from data; see `from_file`."""
        read = cls._file_model().model_validate(data)
        known = {kind.get_serialization_name(): kind for kind in (*EVALUATORS, *custom_evaluator_types)}
        problems: list[str] = []
        cases = [
            Case(
                name=row.name,
                inputs=row.inputs,
                metadata=row.metadata,
                expected_output=row.expected_output,
                evaluators=_built(row.evaluators, known, f'case {row.name or number!r}', problems),
            )
            for number, row in enumerate(read.cases, 1)
        ]
        evaluators = _built(read.evaluators, known, 'the data set', problems)
        of_reports = {
            kind.get_serialization_name(): kind for kind in (*DEFAULT_REPORT_EVALUATORS, *custom_report_evaluator_types)
        }
        place = 'the report of the data set'
        report_evaluators = _built(read.report_evaluators, of_reports, place, problems, 'custom_report_evaluator_types')
        if problems:
            raise ValueError('The evaluators cannot be built:\n' + '\n'.join(f'- {problem}' for problem in problems))
        return cls(
            name=read.name or default_name,
            cases=cast(Any, cases),
            evaluators=evaluators,
            report_evaluators=report_evaluators,
        )

    @classmethod
    def _file_model(cls) -> Any:
        """Return the model of files with the types of inputs, outputs and metadata."""
        arguments = next(
            (args for one in cls.__mro__ if (args := getattr(one, '__pydantic_generic_metadata__', {}).get('args'))), ()
        )
        inputs, output, metadata = (arguments or (Any, Any, Any))[:3]
        forbid = ConfigDict(extra='forbid', arbitrary_types_allowed=True)
        optional: Any = Union
        row = create_model(
            'CaseInFile',
            __config__=forbid,
            name=(optional[str, None], None),
            inputs=(inputs, ...),
            metadata=(optional[metadata, None], None),
            expected_output=(optional[output, None], None),
            evaluators=(list[NamedSpec], []),
        )
        return create_model(
            'DatasetInFile',
            __config__=forbid,
            schema_path=(optional[str, None], Field(default=None, alias='$schema')),
            name=(optional[str, None], None),
            cases=(list[row], ...),  # type: ignore[valid-type]
            evaluators=(list[NamedSpec], []),
            report_evaluators=(list[NamedSpec], []),
        )

    def to_file(
        self,
        path: str | PathLike[str],
        fmt: Format | None = None,
        schema_path: str | PathLike[str] | None = SCHEMA_PATH,
        custom_evaluator_types: Sequence[type[Evaluator]] = (),
        custom_report_evaluator_types: Sequence[type[ReportEvaluator]] = (),
    ) -> None:
        """Write the data set to a file, and beside it the JSON schema by which editors check it.

        Args:
            path: The file.
            fmt: How it is written; by default the suffix says it.
            schema_path: The file of the schema, relative to the other; `None` for none.
            custom_evaluator_types: Evaluators of your own that the file may name.
            custom_report_evaluator_types: The same for those of the report.

        Raises:
            ValueError: The format is not known.
            ImportError: It is YAML, and PyYAML is not installed.
        """
        path = Path(path)
        form = _format(path, fmt)
        data = self._as_data()
        schema = None
        if schema_path is not None:
            schema = path.parent / str(schema_path).format(stem=path.stem)
            whole_schema = self.model_json_schema_with_evaluators(custom_evaluator_types, custom_report_evaluator_types)
            text = json.dumps(whole_schema, indent=2)
            schema.write_text(f'{text}\n', encoding='utf-8')
        named = None if schema is None else schema.relative_to(path.parent).as_posix()
        if form == 'json':
            whole = data if named is None else {'$schema': named, **data}
            text = json.dumps(whole, indent=2, ensure_ascii=False) + '\n'
        else:
            comment = '' if named is None else f'{SCHEMA_COMMENT}{named}\n'
            text = comment + load_yaml().safe_dump(data, sort_keys=False, allow_unicode=True)
        path.write_text(text, encoding='utf-8')

    def _as_data(self) -> JsonObject:
        def plain(value: object) -> Any:
            return TypeAdapter[Any](type(value)).dump_python(value, mode='json')

        def specs(evaluators: Sequence[InFiles]) -> list[Any]:
            short = {'use_short_form': True}
            return [each.as_spec().model_dump(mode='json', context=short) for each in evaluators]

        cases = [
            {
                'name': case.name,
                'inputs': plain(case.inputs),
                'metadata': plain(case.metadata),
                'expected_output': plain(case.expected_output),
                'evaluators': specs(case.evaluators),
            }
            for case in self.cases
        ]
        return {
            'name': self.name,
            'cases': cases,
            'evaluators': specs(self.evaluators),
            'report_evaluators': specs(self.report_evaluators),
        }

    @classmethod
    def model_json_schema_with_evaluators(
        cls,
        custom_evaluator_types: Sequence[type[Evaluator]] = (),
        custom_report_evaluator_types: Sequence[type[ReportEvaluator]] = (),
    ) -> JsonObject:
        """Return the JSON schema of files, with the names of the evaluators that they may have."""
        schema = cls._file_model().model_json_schema()
        schema.setdefault('$defs', {}).update(
            NamedSpec=_schema_of_names((*EVALUATORS, *custom_evaluator_types)),
            ReportSpec=_schema_of_names((*DEFAULT_REPORT_EVALUATORS, *custom_report_evaluator_types)),
        )
        schema['properties']['report_evaluators']['items'] = {'$ref': '#/$defs/ReportSpec'}
        return schema


def _format(path: Path, fmt: Format | None) -> Format:
    if fmt is None and (fmt := FORMATS.get(path.suffix.lower())) is None:
        raise ValueError(
            f'Could not infer format for filename {path.name!r}. Use the `fmt` argument to specify the format.'
        )
    return fmt


def _schema_of_names(kinds: Sequence[type[InFiles]]) -> JsonObject:
    names = [kind.get_serialization_name() for kind in kinds]
    by_name = {'type': 'object', 'minProperties': 1, 'maxProperties': 1, 'propertyNames': {'enum': names}}
    return {'anyOf': [{'type': 'string', 'enum': names}, by_name]}


def _built(
    specs: Sequence[NamedSpec],
    known: Mapping[str, type[T]],
    place: str,
    problems: list[str],
    argument: str = 'custom_evaluator_types',
) -> list[T]:
    found: list[T] = []
    for spec in specs:
        if spec.name not in known:
            names = ', '.join(sorted(known))
            problems.append(
                f'{place}: there is no evaluator {spec.name!r}, only {names}. Pass your own as `{argument}`.'
            )
            continue
        try:
            found.append(known[spec.name](*spec.args, **spec.kwargs))
        except TypeError as error:
            problems.append(f'{place}: {spec.name} does not take these arguments: {error}')
    return found


@contextmanager
def _progress(wanted: bool, name: str, cases: int) -> Iterator[Callable[[], object]]:
    """Show in the terminal how many cases are done, where that is possible."""
    if not wanted or not sys.stderr.isatty():
        yield lambda: None
        return
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        yield lambda: None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f'Evaluating {name}', total=cases)
        yield lambda: bar.advance(task)


def run_agent(
    agent: AbstractAgent[Any, Any], *, journal: Journal[Any] | None = None, **options: object
) -> Callable[[Any], Any]:
    """Return a task that runs an agent with the inputs as its prompt, and returns its output.

    Args:
        agent: The agent.
        journal: A journal for its runs, which the report names in `run_ids`.
        options: Options of the runs, such as `deps`, `model` or `budget`, which all cases share.
    """
    more = [] if journal is None else [journal]

    async def task(inputs: Any) -> Any:
        own: Any = {**options, 'capabilities': [*cast('Sequence[object]', options.get('capabilities') or ()), *more]}
        return cast(Any, await agent.run(inputs, **own)).output

    task.__name__ = agent.name or 'agent'
    return task


async def case_of_run(
    journal: Journal[Any],
    run_id: str,
    *,
    name: str | None = None,
    evaluators: Sequence[Evaluator] = (),
) -> Case:
    """Return a case of a run in a journal that went well: its prompt, and its output as the expected one.

    Args:
        journal: The journal.
        run_id: The id of the run.
        name: The name of the case; by default the id.
        evaluators: Evaluators of the case.

    Raises:
        RunNotFound: The journal has no such run.
        ValueError: The run has no output.
    """
    run = await journal.state(run_id)
    if not run.has_output:
        raise ValueError(f'Run {run_id!r} has no output, so that a case cannot expect it.')
    return Case(name=name or run_id, inputs=run.prompt, expected_output=run.output, evaluators=evaluators)
