import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CopyButton, IconButton } from '../shared/controls';
import { count, duration, gist, money, plural, titled } from '../shared/format';
import { Icon, type IconName } from '../shared/icons';
import { Prose } from '../shared/prose';
import { Value } from '../shared/value';
import { Acts, Decided, sentGist, SentView, spotOf } from './changes';
import { type Act, actsOf, argsText, type CallTrace, type Message, type Part, requestOf, type Step, type Trace } from './model';

const KINDS: Record<string, [string, IconName]> = {
  'system-prompt': ['System prompt', 'shield'], 'user-prompt': ['Prompt', 'user'], 'tool-return': ['Result', 'check'], 'retry-prompt': ['Asked to try again', 'retry'],
  text: ['Text', 'spark'], thinking: ['Thinking', 'thought'], 'tool-call': ['Call', 'tool'], 'builtin-tool-call': ['Call by the provider', 'tool'],
  'builtin-tool-return': ['Result of the provider', 'check'], file: ['File', 'file'],
};
const EDITABLE = new Set(['system-prompt', 'user-prompt', 'tool-return', 'text', 'tool-call']);

export type Edit = { message: number; part: number; value: unknown };
type Editing = { texts: Record<string, string>; set: (key: string, text: string) => void };

const valueOf = (part: Part) => (part.part_kind === 'tool-call' ? argsText(part.args) : typeof part.content === 'string' ? part.content : JSON.stringify(part.content, null, 2));

function PartView({ part, place, editing }: { part: Part; place?: string; editing?: Editing }) {
  const [name, icon] = KINDS[part.part_kind] ?? [part.part_kind, 'file'];
  const canEdit = editing && place && EDITABLE.has(part.part_kind);
  const isText = typeof part.content === 'string';
  return (
    <section class={`part is-${part.part_kind}`}>
      <div class="row part-head"><Icon name={icon} size={15} /><strong>{name}</strong>{part.tool_name && <span class="mono cut">{part.tool_name}</span>}{part.outcome && part.outcome !== 'success' && <span class="badge is-red">{part.outcome}</span>}<span class="grow" /><CopyButton text={valueOf(part) ?? ''} what={name.toLowerCase()} /></div>
      {canEdit ? (
        <textarea class={`field ${isText ? '' : 'mono'}`} aria-label={`${name}${part.tool_name ? ` of ${part.tool_name}` : ''}, to change`} rows={Math.min(12, (valueOf(part) ?? '').split('\n').length + 1)}
          value={editing.texts[place] ?? valueOf(part)} onInput={(event) => editing.set(place, event.currentTarget.value)} />
      ) : part.part_kind === 'tool-call' || part.part_kind === 'builtin-tool-call' ? <Value value={parsed(part.args)} />
        : part.part_kind === 'text' && isText ? <Prose text={part.content} />
        : isText ? <Value value={part.content} /> : <Contents value={part.content} />}
    </section>
  );
}

function parsed(args: unknown): unknown {
  if (typeof args !== 'string') return args ?? {};
  try { return JSON.parse(args); } catch { return args; }
}

function Contents({ value }: { value: unknown }) {
  const file = value as { media_type?: string; data?: string } | null;
  if (file && typeof file === 'object' && typeof file.data === 'string' && /^image\/(png|jpe?g|gif|webp)$/.test(file.media_type ?? '')) {
    return <img class="image" alt="File of the run" src={`data:${file.media_type};base64,${file.data.replaceAll('-', '+').replaceAll('_', '/')}`} />;
  }
  if (Array.isArray(value) && value.some((one) => one && typeof one === 'object' && 'media_type' in one)) return <>{value.map((one, index) => (typeof one === 'string' ? <Value key={index} value={one} /> : <Contents key={index} value={one} />))}</>;
  return <Value value={value} />;
}

/** A section that can be folded; what is in it is drawn when it is opened first. */
function Fold({ title, open = false, children, aside }: { title: string; open?: boolean; aside?: ComponentChildren; children: () => ComponentChildren }) {
  const [opened, setOpened] = useState(open);
  return (
    <details class="fold section" open={open} onToggle={(event) => { if (event.currentTarget.open) setOpened(true); }}>
      <summary><span class="turner"><Icon name="right" size={14} /></span><strong>{title}</strong><span class="soft cut">{aside}</span></summary>
      <div class="stack">{(open || opened) && children()}</div>
    </details>
  );
}

function Messages({ messages, first, editing }: { messages: Message[]; first: number; editing?: Editing }) {
  return <>{messages.map((message, index) => (
    <div key={index} class="stack message">
      {message.instructions && index === messages.length - 1 && <PartView part={{ part_kind: 'Instructions', content: message.instructions }} />}
      {message.parts.map((part, number) => <PartView key={number} part={part} place={`${first + index}.${number}`} editing={editing} />)}
    </div>
  ))}</>;
}

function CallView({ call, chosen, acts }: { call: CallTrace; chosen: boolean; acts: Act[] }) {
  const card = useRef<HTMLDetailsElement>(null);
  // Only when it is chosen: a run that is followed is drawn again and again.
  useEffect(() => { if (chosen) card.current?.scrollIntoView({ block: 'nearest' }); }, [chosen]);
  return (
    <details class="card" open={chosen} ref={card}>
      <summary><span class={`sign is-${call.outcome === 'success' ? 'done' : call.outcome === null ? 'waiting' : 'failed'}`}><Icon name={call.outcome === 'success' ? 'check' : call.outcome === null ? 'clock' : 'alert'} size={14} /></span><strong>{titled(call.tool)}</strong><span class="gist cut">{gist(call.args)}</span>{acts.length > 0 && <span class="badge is-blue" title={acts.map((act) => act.by).join(', ')}>{plural(acts.length, 'change')}</span>}<span class="soft number">{call.at && call.ended ? duration((call.ended - call.at) * 1000) : ''}</span><span class="turner"><Icon name="right" size={16} /></span></summary>
      <div class="card-body">
        <div class="row wrap"><span class="badge mono">{call.id}</span>{call.effect && <span class="badge">effect: {call.effect}</span>}{call.outcome && call.outcome !== 'success' && <span class="badge is-red">{call.outcome}</span>}</div>
        <section><p class="label">Arguments</p><Value value={call.args} /></section>
        {call.progress.length > 0 && <section><p class="label">Progress</p>{call.progress.map((one, index) => <Value key={index} value={one.content} />)}</section>}
        {call.inner && <section><p class="label">Calls that the tool made</p>{call.inner.map((one, index) => <p key={index} class="small-text">{titled(one.tool)} <span class="soft">{one.ended ? duration((one.ended - one.at) * 1000) : 'no return'}</span></p>)}</section>}
        {acts.length > 0 && <section class="stack"><p class="label">Changed by capabilities</p><Acts acts={acts} /></section>}
        {call.outcome !== null && <section><div class="row"><p class="label grow">{call.outcome === 'success' ? 'Result' : 'Answer'}</p><CopyButton text={typeof call.result === 'string' ? call.result : JSON.stringify(call.result, null, 2)} what="result" /></div><Contents value={call.result} /></section>}
      </div>
    </details>
  );
}

export function StepView({ trace, step, call, canFork, fork }: { trace: Trace; step: Step; call: string; canFork: boolean; fork?: (edits: Edit[], calls: Record<string, unknown>, model: string) => Promise<void> }) {
  const [texts, setTexts] = useState<Record<string, string> | null>(null);
  const [model, setModel] = useState('');
  const [problem, setProblem] = useState('');
  const request = useMemo(() => requestOf(trace, step, texts !== null), [trace, step, texts === null]);
  const before = trace.steps.filter((one) => one.step < step.step).at(-1);
  const known = step.after_hooks && !texts ? Math.max(request.length - 1, 0) : before ? Math.min(before.request[1] + 1, request.length - 1) : Math.max(request.length - 1, 0);
  const response = step.response === null ? undefined : trace.messages[step.response];
  const acts = actsOf(trace, step);
  const at = (spot: string) => acts.filter((act) => spotOf(act) === spot);
  const sent = step.sent === null || step.sent === undefined ? undefined : trace.sent![step.sent];
  const names = new Map(step.calls.map((one) => [one.id, one.tool]));
  const changed = (spot: string) => at(spot).length > 0 && <Fold title="Changed by capabilities" open={!texts} aside={[...new Set(at(spot).map((act) => act.by))].join(', ')}>{() => <><Acts acts={at(spot)} /></>}</Fold>;
  const editing = texts ? { texts, set: (key: string, text: string) => setTexts({ ...texts, [key]: text }) } : undefined;
  const box = useRef<HTMLDivElement>(null), button = useRef<HTMLSpanElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => { // the button that was pressed is gone, so the focus would be lost
    if (texts && !wasEditing.current) box.current?.focus();
    if (!texts && wasEditing.current) button.current?.querySelector('button')?.focus();
    wasEditing.current = texts !== null;
  }, [texts === null]);
  const go = async () => {
    const edits: Edit[] = [];
    const calls: Record<string, unknown> = {};
    for (const [key, text] of Object.entries(texts!)) {
      const [message, part] = key.split('.').map(Number) as [number, number];
      const old = (message < 0 ? response! : request[message]!).parts[part]!;
      if (text === valueOf(old)) continue;
      let value: unknown = text;
      if (old.part_kind === 'tool-call' || typeof old.content !== 'string') {
        try { value = JSON.parse(text); } catch (error) { setProblem(`A value is not JSON: ${(error as Error).message}`); return; }
      }
      if (message < 0) calls[old.tool_call_id!] = value;
      else edits.push({ message, part, value });
    }
    if (edits.length && Object.keys(calls).length) { setProblem('Change either what is sent, or the arguments of the calls that came back: with another request, the model answers anew.'); return; }
    try { await fork!(edits, calls, model.trim()); } catch (error) { setProblem((error as Error).message); }
  };
  return (
    <div class="stack detail">
      <header class="stack tight">
        <div class="row"><h2>Step {step.step}</h2>
        {step.model && <span class="badge mono cut">{step.model}</span>}
        <span class="grow" />
        {fork && !texts && <span ref={button}><IconButton icon="branch" label="Fork from here" kind="plain" onClick={() => setTexts({})} disabled={!canFork}>Fork from here</IconButton></span>}
        </div>
        <span class="soft small-text number">{step.responded !== null && duration((step.responded - step.at) * 1000)}{step.input || step.output ? ` · ${count(step.input ?? 0)} in${step.cached ? ` (${count(step.cached)} cached, ${count(Math.max((step.input ?? 0) - step.cached, 0))} new)` : ''}, ${count(step.output ?? 0)} out` : ''}{step.cost ? ` · ${money(step.cost)}` : ''}</span>
        {step.cached ? <meter class="cached" min={0} max={step.input} value={step.cached} aria-label="Tokens that the provider read from its cache" title={`${count(step.cached)} of ${count(step.input ?? 0)} tokens came from the cache of the provider`} /> : null}
      </header>
      {texts && (
        <div class="card fork-box" role="group" aria-label="Fork from here" tabIndex={-1} ref={box}><div class="card-body">
          <p class="small-text">Change what this step sends: prompts, results of tools, arguments. Or change the arguments of the calls in its response: these are made again. The fork shares everything before, and goes on beside the original.</p>
          <label class="stack"><span class="label">Another model (optional), such as openai:gpt-5</span><input class="field" value={model} onInput={(event) => setModel(event.currentTarget.value)} /></label>
          {problem && <div class="notice is-red" role="alert"><Icon name="alert" /><div>{problem}</div></div>}
          <div class="row"><button class="button main" onClick={go}>Fork and run on</button><button class="button quiet" onClick={() => setTexts(null)}>Cancel</button></div>
        </div></div>
      )}
      <Fold title="Request" open={!response || !!texts || !call} aside={`${plural(request.length, 'message')}`}>{() => <>
        {known > 0 && <Fold title={`${plural(known, 'earlier message')}`} open={!!texts && known < 8}>{() => <><Messages messages={request.slice(0, known)} first={0} editing={editing} /></>}</Fold>}
        <Messages messages={request.slice(known)} first={known} editing={editing} />
        {sent && !texts && <Fold title="Sent with it" aside={sentGist(sent)}>{() => <><SentView sent={sent} /></>}</Fold>}
      </>}</Fold>
      {changed('request')}
      {response ? (
        <Fold title="Response" open aside={response.finish_reason ? `finished: ${response.finish_reason}` : ''}>{() => <>{response.parts.map((part, index) => <PartView key={index} part={part} place={part.part_kind === 'tool-call' ? `-1.${index}` : undefined} editing={editing} />)}</>}</Fold>
      ) : <div class="notice is-amber"><Icon name="clock" /><div>{trace.run.status === 'running' ? 'The model has not answered yet.' : 'No response was received.'}</div></div>}
      {changed('response')}
      {step.calls.length > 0 && <Fold title="Calls" open aside={plural(step.calls.length, 'call')}>{() => <>{step.calls.map((one) => <CallView key={one.id} call={one} chosen={one.id === call} acts={acts.filter((act) => act.call?.id === one.id)} />)}</>}</Fold>}
      {changed('end')}
      {step.waits.filter((wait) => wait.decided).map((wait, index) => <Fold key={index} title="Decided" open aside={`after ${duration((wait.until! - wait.at) * 1000)}`}>{() => <><Decided decided={wait.decided} by={wait.by} names={names} /></>}</Fold>)}
      {!trace.acts && step.seq !== undefined && <p class="soft xs">To see what each capability changes, and the tools and settings of each request, record runs with <code>Journal(changes=True)</code>.</p>}
    </div>
  );
}
