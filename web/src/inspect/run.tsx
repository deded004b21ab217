import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { get, post } from '../shared/api';
import { Announcer, CopyButton, IconButton, Status } from '../shared/controls';
import { Diff } from '../shared/diff';
import { count, cut, duration, money, plural, since, titled } from '../shared/format';
import { Icon } from '../shared/icons';
import { Prose } from '../shared/prose';
import { BRIEF, Value } from '../shared/value';
import { argsText, type News, requestOf, type Step, textOf, type Trace, type WaitingCall, withNews } from './model';
import { type Edit, StepView } from './step';
import { Timeline } from './timeline';
import { Marks } from '../shared/marks';

export type Setup = { name: string; may_change: boolean; agent: string | null };

const say = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? '');

function Facts({ trace }: { trace: Trace }) {
  const { run } = trace;
  const facts: [string, string][] = [
    ['Began', since(run.begun)], ['Took', duration((run.updated - run.begun) * 1000)], ['Steps', String(run.steps)], ['Calls', String(run.calls)],
    ['Tokens', count(run.tokens)], ...(run.cost ? [['Cost', money(run.cost)] as [string, string]] : []),
  ];
  return <dl class="facts">{facts.map(([name, value]) => <div key={name}><dt>{name}</dt><dd class="number">{value}</dd></div>)}</dl>;
}

function WaitingView({ one, answer }: { one: WaitingCall; answer: (decision: object) => Promise<void> }) {
  const [text, setText] = useState(one.kind === 'result' ? '' : JSON.stringify(one.args, null, 2));
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState('');
  const decide = async (action: string) => {
    try {
      const changed = one.kind === 'approval' && action === 'allow' && text !== JSON.stringify(one.args, null, 2);
      let value: unknown = text;
      if (changed) {
        try { value = JSON.parse(text); } catch (error) { throw new Error(`That is not JSON: ${(error as Error).message}`); }
      }
      else if (action === 'result') try { value = JSON.parse(text); } catch { /* plain text is a result, too */ }
      await answer({ id: one.id, digest: one.digest, action, ...(changed ? { args: value } : {}), ...(action === 'result' ? { result: value } : {}), ...(action === 'deny' ? { reason } : {}) });
    } catch (error) { setProblem((error as Error).message); }
  };
  return (
    <section class="card is-asking" aria-label={`Decision about ${titled(one.tool)}`}>
      <div class="card-head"><Icon name="shield" /><strong class="grow cut">{one.kind === 'approval' ? `Allow “${titled(one.tool)}”?` : `${titled(one.tool)} waits for a result`}</strong></div>
      <div class="card-body">
        {typeof one.about?.message === 'string' && <p class="small-text">{one.about.message}</p>}
        {one.kind === 'result' && <Value value={one.args} />}
        <Marks shown={one.shown} />
        <label class="stack"><span class="label">{one.kind === 'approval' ? 'Arguments' : 'The result, as text or JSON'}</span><textarea class="field mono" rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
        {one.kind === 'approval' && <label class="stack"><span class="label">A reason, if you deny it. The model is told. (optional)</span><input class="field" value={reason} onInput={(event) => setReason(event.currentTarget.value)} /></label>}
        {problem && <div class="notice is-red" role="alert"><Icon name="alert" /><div>{problem}</div></div>}
        <div class="ask-buttons">{one.kind === 'approval' ? <><IconButton icon="check" label="Allow" kind="main" onClick={() => decide('allow')}>Allow</IconButton><IconButton icon="close" label="Deny" kind="danger" onClick={() => decide('deny')}>Deny</IconButton></> : <button class="button main" disabled={!text.trim()} onClick={() => decide('result')}>Send the result</button>}</div>
      </div>
    </section>
  );
}

export function RunView({ trace, setup, open, reload, back }: { trace: Trace; setup?: Setup; open?: (id: string, against?: string) => void; reload?: () => void; back?: () => void }) {
  const { run } = trace;
  const firstFailed = trace.steps.find((step) => step.calls.some((call) => call.outcome !== null && call.outcome !== 'success'));
  const [chosen, setChosen] = useState(() => ({ step: (run.status === 'failed' ? trace.steps.at(-1) : firstFailed ?? trace.steps[0])?.step ?? 0, call: '' }));
  const detail = useRef<HTMLDivElement>(null);
  const step = trace.steps.find((one) => one.step === chosen.step) ?? trace.steps[0];
  const choose = useCallback((next: { step: number; call: string }) => {
    setChosen(next);
    if (next.call) return; // its card comes into view by itself
    requestAnimationFrame(() => {
      if (matchMedia('(max-width: 1100px)').matches) detail.current?.scrollIntoView({ block: 'start', behavior: 'smooth' });
      else detail.current?.scrollTo({ top: 0 });
    });
  }, []);
  const fork = setup?.may_change ? async (edits: Edit[], calls: Record<string, unknown>, model: string) => {
    const { id } = await post<{ id: string }>(`inspect/runs/${run.id}/fork`, { at: step!.step, edits, calls: Object.keys(calls).length ? calls : null, model: model || null, run: setup.agent !== null });
    open!(id, run.id);
  } : undefined;
  const heading = useRef<HTMLHeadingElement>(null);
  const answer = async (decision: object) => { await post(`inspect/runs/${run.id}/answer`, { decisions: [decision] }); heading.current?.focus(); reload?.(); };
  const goOn = async () => { await post(`inspect/runs/${run.id}/go-on`, {}); reload?.(); };
  return (
    <div class="run-page">
      <header class="run-head">
        <div class="row">
          {back && <IconButton icon="left" label="Runs" class="only-narrow" onClick={back} />}
          <Status status={run.status} /><span class="soft small-text">{run.agent}</span><span class="grow" />
          {trace.forks.length > 0 && open && <button class="button quiet" onClick={() => open(trace.forks[0]!.id, run.id)}><Icon name="branch" size={16} />{plural(trace.forks.length, 'fork')}</button>}
          {run.base && open && <button class="button plain" onClick={() => open(run.id, run.base!)}><Icon name="diff" size={16} />Compare with the original</button>}
          {run.parent && open && <button class="button plain" onClick={() => open(run.parent!)}><Icon name="layers" size={16} />Outer run</button>}
          {(['abandoned', 'answered', 'cancelled'].includes(run.status) || (run.status === 'running' && run.seq === 0)) && setup?.agent && <button class="button main" onClick={goOn}><Icon name="play" size={16} />Go on</button>}
        </div>
        <h1 tabIndex={-1} ref={heading}>{cut(run.prompt, 220) || run.agent || 'Run'}</h1>
        <div class="row wrap"><Facts trace={trace} /><span class="grow" /><span class="row soft xs mono"><span class="cut">{run.id}</span><CopyButton text={run.id} what="the id of the run" /></span></div>
        {run.error && run.status === 'stopped' && <div class="notice"><Icon name="stop" /><div>{run.error.message}</div></div>}
        {run.error && run.status !== 'stopped' && <div class="notice is-red" role="alert"><Icon name="alert" /><div><strong>{run.error.type}</strong><br />{run.error.message.length > BRIEF ? <Value value={run.error.message} /> : run.error.message}</div></div>}
        {trace.failure && !run.error && <div class="notice is-red" role="alert"><Icon name="alert" /><div>{trace.failure}</div></div>}
        {setup?.may_change ? trace.waiting.map((one) => <WaitingView key={one.id} one={one} answer={answer} />)
          : trace.waiting.length > 0 && <div class="notice is-amber"><Icon name="clock" /><div>It waits for {plural(trace.waiting.length, 'decision')}: {trace.waiting.map((one) => titled(one.tool)).join(', ')}. {setup ? 'To answer here, start the inspector with an agent or with --allow-changes.' : ''}</div></div>}
      </header>
      <div class="run-body">
        <section class="lanes" aria-label="Timeline">
          {trace.steps.length === 0 ? <p class="soft small-text">It has sent no request.</p> : <Timeline trace={trace} chosen={chosen} choose={choose} openRun={open} />}
          {run.status === 'done' && run.output !== null && run.output !== undefined && (
            <section class="output"><div class="row"><p class="label grow">Output</p><CopyButton text={say(run.output)} what="output" /></div>{typeof run.output === 'string' ? <Prose text={run.output} /> : <Value value={run.output} />}</section>
          )}
        </section>
        <section class="details" aria-label="Step" ref={detail}>
          {step && <StepView key={`${run.id} ${step.step}`} trace={trace} step={step} call={chosen.call} canFork={step.seq !== undefined} fork={fork} />}
        </section>
      </div>
    </div>
  );
}

/** What two lists of texts have from the first one on that is different. */
function fromFirstDifference(a: string[], b: string[]): [string, string] {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return [a.slice(same).join('\n\n'), b.slice(same).join('\n\n')];
}

function SideBySide({ left, right }: { left: Trace; right: Trace }) {
  const numbers = [...new Set([...left.steps, ...right.steps].map((step) => step.step))].sort((a, b) => a - b);
  const said = (trace: Trace, step?: Step) => (step?.response === null || step?.response === undefined ? '' : textOf(trace.messages[step.response]));
  const sent = (trace: Trace, step?: Step) => (step ? requestOf(trace, step).map(textOf) : []);
  return (
    <ol class="compare">
      {numbers.map((number) => {
        const a = left.steps.find((step) => step.step === number), b = right.steps.find((step) => step.step === number);
        const requests = fromFirstDifference(sent(left, a), sent(right, b)), responses: [string, string] = [said(left, a), said(right, b)];
        const made = (one?: Step) => (one?.calls ?? []).map((call) => `${call.tool}(${argsText(call.args)})\n→ ${call.outcome === null ? 'no answer' : say(call.result)}`).join('\n');
        const results: [string, string] = [made(a), made(b)];
        const same = requests[0] === requests[1] && responses[0] === responses[1] && results[0] === results[1];
        return (
          <li key={number} class="compare-step">
            <h2>Step {number} {same && <span class="badge is-accent">the same</span>}{!a && <span class="badge is-blue">only in the fork</span>}{!b && <span class="badge is-amber">only in the original</span>}</h2>
            {!same && <>
              {requests[0] !== requests[1] && a && b && <section><p class="label">Sent</p><Diff before={requests[0]} after={requests[1]} /></section>}
              {responses[0] !== responses[1] && <section><p class="label">Answered</p><Diff before={responses[0]} after={responses[1]} /></section>}
              {results[0] !== results[1] && <section><p class="label">Calls</p><Diff before={results[0]} after={results[1]} /></section>}
            </>}
          </li>
        );
      })}
    </ol>
  );
}

/** A run that is followed while it goes on: what is new in it is asked for, and no more. */
export function useTrace(id: string): { trace: Trace | null; problem: string; reload: () => void } {
  const [trace, setTrace] = useState<Trace | null>(null);
  const [problem, setProblem] = useState('');
  const look = useRef<() => void>(() => {});
  useEffect(() => {
    let gone = false, timer = 0, busy = false, again = false, known: Trace | null = null;
    look.current = async () => {
      clearTimeout(timer);
      if (busy) { again = true; return; }
      busy = true;
      try {
        const since: string = known?.cursor ? `?since=${encodeURIComponent(known.cursor)}` : '';
        const found: Trace | News = await get<Trace | News>(`inspect/runs/${encodeURIComponent(id)}${since}`);
        if (gone) return;
        known = known && (found.cursor === known.cursor || 'since' in found) ? withNews(known, found as News) : found as Trace;
        setTrace(known);
        setProblem('');
      } catch (error) { if (!gone) setProblem((error as Error).message); }
      busy = false;
      if (!gone) timer = setTimeout(look.current, again ? 0 : document.hidden ? 5000 : 1000) as unknown as number;
      again = false;
    };
    look.current();
    return () => { gone = true; clearTimeout(timer); };
  }, [id]);
  return { trace, problem, reload: () => look.current() };
}

export function Compare({ id, against, open, back }: { id: string; against: string; open: (id: string, against?: string) => void; back: () => void }) {
  const fork = useTrace(id), original = useTrace(against);
  const outputs = useMemo((): [string, string] => [say(original.trace?.run.output ?? original.trace?.run.error?.message ?? ''), say(fork.trace?.run.output ?? fork.trace?.run.error?.message ?? '')], [original.trace, fork.trace]);
  if (!fork.trace || !original.trace) return <div class="run-page">{fork.problem || original.problem ? <div class="notice is-red" role="alert"><Icon name="alert" /><div>{fork.problem || original.problem}</div></div> : <div class="row soft"><span class="spinner" />Loading</div>}</div>;
  const head = (name: string, trace: Trace) => (
    <div class="card compare-head"><div class="card-body"><div class="row"><strong>{name}</strong><Status status={trace.run.status} /><span class="grow" /><button class="button plain small" onClick={() => open(trace.run.id)}>Open</button></div><Facts trace={trace} />{trace.failure && <p class="small-text is-error">{trace.failure}</p>}</div></div>
  );
  return (
    <div class="run-page">
      <header class="run-head"><div class="row"><IconButton icon="left" label="Back to the run" onClick={back} /><h1 class="cut">A fork beside its original</h1></div></header>
      <div class="compare-heads">{head('Original', original.trace)}{head('Fork', fork.trace)}</div>
      <section class="compare-step"><h2>What came of it</h2><Diff before={outputs[0]} after={outputs[1]} /></section>
      <SideBySide left={original.trace} right={fork.trace} />
      <Announcer text={`The fork is ${fork.trace.run.status}.`} />
    </div>
  );
}
