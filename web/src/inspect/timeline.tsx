import { memo } from 'preact/compat';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { count, duration, gist, plural, titled } from '../shared/format';
import { Icon, type IconName } from '../shared/icons';
import { type CallTrace, scaleOf, type Step, type Summary, type Trace } from './model';

type Place = (at: number) => number;
type Chosen = { step: number; call: string };

function Bar({ from, to, kind, place, open }: { from: number; to: number | null; kind: string; place: Place; open?: boolean }) {
  const left = place(from) * 100;
  const right = to === null ? (open ? 100 : left) : place(to) * 100;
  return <span class="track"><span class={`span is-${kind}`} style={{ left: `${left}%`, width: `max(3px, ${right - left}%)` }} /></span>;
}

function Row({ icon, kind, name, about, changes = 0, time, chosen, choose, depth = 0, children }: {
  changes?: number; icon: IconName; kind: string; name: string; about: string; time: string; chosen: boolean; choose: () => void; depth?: number; children: preact.ComponentChildren;
}) {
  return (
    <button class={`line depth-${depth} ${chosen ? 'is-open' : ''}`} aria-current={chosen ? 'step' : undefined} onClick={choose}>
      <span class={`line-name is-${kind}`}><Icon name={icon} size={15} /><span class="line-title">{name}</span>{changes > 0 && <span class="line-changes" title={`${plural(changes, 'change')} by capabilities`}><Icon name="diff" size={13} />{changes}<span class="unseen"> {changes === 1 ? 'change' : 'changes'} by capabilities</span></span>}<span class="soft cut">{about}</span></span>
      {children}
      <span class="line-time number">{time}</span>
    </button>
  );
}

const kindOf = (call: CallTrace) => (call.outcome === 'success' ? 'call' : call.outcome === 'denied' ? 'waiting' : call.outcome === null ? (call.ended === null ? 'open' : 'call') : 'failed');
const span = (from: number | null, to: number | null) => (from !== null && to !== null ? duration((to - from) * 1000) : '');

const StepRows = memo(function StepRows({ step, place, inner, running, chosen, choose, openRun }: {
  step: Step; place: Place; inner: Summary[]; running: boolean; chosen: Chosen | null; choose: (chosen: Chosen) => void; openRun?: (id: string) => void;
}) {
  const used = step.input || step.output ? `${count((step.input ?? 0) + (step.output ?? 0))} tokens` : step.responded === null ? (running ? 'under way' : 'no response') : '';
  return (
    <li class={`step ${step.shared ? 'is-shared' : ''}`}>
      <Row icon="spark" kind="request" name={`${step.step}. ${step.model ?? 'Request'}`} about={used} changes={step.acts?.length} time={span(step.at, step.responded)} chosen={chosen?.step === step.step && !chosen.call} choose={() => choose({ step: step.step, call: '' })}>
        <Bar from={step.at} to={step.responded} kind={step.responded === null ? 'open' : 'request'} place={place} open={running} />
      </Row>
      {step.calls.map((call) => (
        <>
          <Row key={call.id} depth={1} icon="tool" kind={kindOf(call)} name={titled(call.tool)} about={gist(call.args)} time={span(call.at, call.ended) || (call.outcome ?? (running && call.at !== null ? 'running' : 'no answer'))} chosen={chosen?.step === step.step && chosen.call === call.id} choose={() => choose({ step: step.step, call: call.id })}>
            <Bar from={call.at ?? step.responded ?? step.at} to={call.ended} kind={kindOf(call)} place={place} open={running} />
          </Row>
          {inner.filter((run) => run.call === call.id).map((run) => (
            <Row key={run.id} depth={2} icon="layers" kind={run.status === 'failed' ? 'failed' : 'inner'} name={run.agent ?? 'Agent'} about={`${run.steps} steps`} time={duration((run.updated - run.begun) * 1000)} chosen={false} choose={() => openRun?.(run.id)}>
              <Bar from={run.begun} to={run.updated} kind={run.status === 'failed' ? 'failed' : 'inner'} place={place} />
            </Row>
          ))}
        </>
      ))}
      {step.waits.map((wait, index) => (
        <Row key={index} depth={1} icon="clock" kind="waiting" name={wait.until === null ? 'Waits' : 'Waited'} about={`for ${wait.calls.length} decision${wait.calls.length === 1 ? '' : 's'}`} time={span(wait.at, wait.until)} chosen={false} choose={() => choose({ step: step.step, call: wait.calls[0] ?? '' })}>
          <Bar from={wait.at} to={wait.until} kind="waiting" place={place} open={wait.until === null} />
        </Row>
      ))}
    </li>
  );
});

const AT_ONCE = 100; // steps that are drawn before the first paint; the others follow in pieces

export function Timeline({ trace, chosen, choose, openRun }: { trace: Trace; chosen: Chosen | null; choose: (chosen: Chosen) => void; openRun?: (id: string) => void }) {
  const scale = useMemo(() => scaleOf(trace), [trace]);
  const [drawn, setDrawn] = useState(AT_ONCE);
  const isPart = drawn < trace.steps.length;
  useEffect(() => { // after the paint: an effect alone may run before it
    if (!isPart) return;
    const timer = setTimeout(() => setDrawn(drawn + 2 * AT_ONCE), 16);
    return () => clearTimeout(timer);
  }, [drawn, isPart]);
  return (
    <ol class="timeline" aria-label="Steps" aria-busy={isPart}>
      {(isPart ? trace.steps.slice(0, drawn) : trace.steps).map((step) => (
        <StepRows key={step.step} step={step} place={scale.place} running={trace.run.status === 'running'} inner={trace.children} chosen={chosen?.step === step.step ? chosen : null} choose={choose} openRun={openRun} />
      ))}
    </ol>
  );
}
