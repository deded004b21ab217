"""Providers that keep what is recorded, made of OpenTelemetry's interface alone, so that cases need no SDK."""

import itertools
import json
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.trace import SpanContext, SpanKind, StatusCode, TraceFlags, use_span

_ids = itertools.count(1)


def error_type(attributes):
    """The type of the error in an event, recorded as an exception or by name."""
    escaped = str(attributes.get('escaped', attributes.get('exception.escaped')))
    return {'type': attributes.get('type', attributes.get('exception.type')), 'escaped': escaped}


class RecordedSpan(trace.Span):
    def __init__(self, name, kind, attributes, parent):
        self.name, self.kind, self.attributes, self.parent = name, kind, dict(attributes or {}), parent
        self.at_start = tuple(self.attributes)
        self.status, self.description, self.events, self.ended = 'UNSET', None, [], False
        self.context = SpanContext(1, next(_ids), is_remote=False, trace_flags=TraceFlags(1))

    def get_span_context(self):
        return self.context

    def is_recording(self):
        return not self.ended

    def set_attribute(self, key, value):
        self.attributes[key] = value

    def set_attributes(self, attributes):
        self.attributes.update(attributes)

    def add_event(self, name, attributes=None, timestamp=None):
        self.events.append((name, dict(attributes or {})))

    def record_exception(self, exception, attributes=None, timestamp=None, escaped=False):
        kind = type(exception)
        module = '' if kind.__module__ == 'builtins' else kind.__module__ + '.'
        self.events.append(
            ('exception', {'type': module + kind.__qualname__, 'message': str(exception), 'escaped': escaped})
        )

    def update_name(self, name):
        self.name = name

    def set_status(self, status, description=None):
        if isinstance(status, StatusCode):
            self.status, self.description = status.name, description
        else:
            self.status, self.description = status.status_code.name, status.description

    def end(self, end_time=None):
        self.ended = True


class RecordingTracer(trace.Tracer):
    def __init__(self, spans):
        self.spans = spans

    def start_span(self, name, context=None, kind=SpanKind.INTERNAL, attributes=None, **options):
        parent = trace.get_current_span(context)
        span = RecordedSpan(name, kind, attributes, parent if isinstance(parent, RecordedSpan) else None)
        self.spans.append(span)
        return span

    @contextmanager
    def start_as_current_span(
        self,
        name,
        context=None,
        kind=SpanKind.INTERNAL,
        attributes=None,
        links=None,
        start_time=None,
        record_exception=True,
        set_status_on_exception=True,
        end_on_exit=True,
    ):
        span = self.start_span(name, context, kind, attributes)
        with use_span(
            span,
            end_on_exit=end_on_exit,
            record_exception=record_exception,
            set_status_on_exception=set_status_on_exception,
        ) as current:
            yield current


class RecordingHistogram:
    def __init__(self, name, unit, description, boundaries):
        self.name, self.unit, self.description, self.boundaries = name, unit, description, boundaries
        self.points = []

    def record(self, amount, attributes=None, context=None):
        self.points.append((amount, dict(attributes or {})))


class Recorder:
    """A provider of tracers, meters and loggers at once."""

    def __init__(self):
        self.spans, self.histograms, self.logs, self.scopes = [], [], [], []

    def get_tracer(self, name, *args, **kwargs):
        self.scopes.append(name)
        return RecordingTracer(self.spans)

    def get_meter(self, name, *args, **kwargs):
        self.scopes.append(name)
        return self

    def get_logger(self, name, *args, **kwargs):
        self.scopes.append(name)
        return self

    def create_histogram(self, name, unit='', description='', explicit_bucket_boundaries_advisory=None, **kwargs):
        boundaries = explicit_bucket_boundaries_advisory
        self.histograms.append(RecordingHistogram(name, unit, description, boundaries and list(boundaries)))
        return self.histograms[-1]

    def emit(self, record, **kwargs):
        span = trace.get_current_span()
        self.logs.append((getattr(span, 'name', None), record.body, dict(record.attributes or {})))

    def clear(self):
        self.spans.clear()
        self.logs.clear()
        for histogram in self.histograms:
            histogram.points.clear()

    def show(self, only=None, without=(), texts=True):
        """Print the spans in the order they were started, and their attributes in alphabetical order.

        `texts=False` leaves out the texts of errors, which stead does not record without content.
        """
        for span in self.spans:
            status = ': '.join(filter(None, (span.status, span.description if texts else None)))
            print('span', json.dumps([span.name, span.kind.name, span.parent and span.parent.name, status, span.ended]))
            for key in sorted(span.attributes):
                if key not in without and (only is None or key in only):
                    print('    ', key, json.dumps(span.attributes[key], ensure_ascii=False))
            for name, attributes in span.events:
                print('     !', name, json.dumps(attributes if texts else error_type(attributes)))

    def show_metrics(self):
        for histogram in self.histograms:
            print('metric', json.dumps([histogram.name, histogram.unit, histogram.description, histogram.boundaries]))
            for amount, attributes in histogram.points:
                print('    ', amount, json.dumps(attributes, sort_keys=True))

    def show_logs(self):
        for span, body, attributes in self.logs:
            print('log', json.dumps([span, body, attributes], sort_keys=True, ensure_ascii=False))
