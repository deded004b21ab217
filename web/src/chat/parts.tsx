import { memo } from 'preact/compat';
import { useEffect, useRef, useState } from 'preact/hooks';
import { CopyButton, IconButton } from '../shared/controls';
import { duration, gist, masked, titled } from '../shared/format';
import { Icon, type IconName } from '../shared/icons';
import { Prose } from '../shared/prose';
import { Value } from '../shared/value';
import type { AnswerTurn, Call, FilePart, Part, UserTurn, Waiting } from './model';
import { Marks } from '../shared/marks';

export type Decision = { action: 'allow' | 'always' | 'deny' | 'result'; reason?: string; args?: unknown; result?: unknown };
export type Deciding = { waiting: Waiting[]; decided: Record<string, Decision>; decide: (waiting: Waiting, decision: Decision | null) => void; busy: boolean };

const SIGNS: Record<string, IconName> = { done: 'check', failed: 'alert', denied: 'close', stopped: 'stop', left: 'close', asking: 'shield', open: 'clock' };
const WORDS: Record<string, string> = { writing: 'Preparing', running: 'Running', done: 'Done', failed: 'Failed', denied: 'Denied', stopped: 'Stopped', left: 'Not made', asking: 'Needs approval', open: 'No result' };

function Thinking({ part }: { part: Part & { type: 'thinking' } }) {
  return (
    <details class="fold thinking">
      <summary>
        {part.live ? <span class="spinner" /> : <Icon name="thought" size={16} />}
        <span>{part.live ? 'Thinking' : part.ms !== undefined && part.ms >= 100 ? `Thought for ${duration(part.ms)}` : 'Thoughts'}</span>
        <span class="turner"><Icon name="right" size={14} /></span>
      </summary>
      <div class="thoughts"><Prose text={part.text} /></div>
    </details>
  );
}

function Args({ value }: { value: unknown }) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return <Value value={value} />;
  const entries = Object.entries(value);
  if (!entries.length) return <p class="soft small-text">No arguments</p>;
  return (
    <dl class="args">
      {entries.map(([name, item]) => [
        <dt key={`${name} name`}>{titled(name)}</dt>,
        <dd key={name}>{typeof item === 'object' && item !== null ? <Value value={item} /> : String(item)}</dd>,
      ])}
    </dl>
  );
}

function CallCard({ call, deciding }: { call: Call; deciding: Deciding }) {
  const asks = deciding.waiting.filter((one) => (one.inside ?? one.id) === call.id || one.id === call.id);
  const state = asks.length ? 'asking' : call.state === 'asking' ? 'running' : call.state;
  const word = !asks.length ? WORDS[state] : asks.every((one) => deciding.decided[one.run + one.id]) ? 'Decided' : asks.every((one) => one.kind === 'result') ? 'Waits for a result' : WORDS.asking;
  const busy = state === 'running' || state === 'writing';
  return (
    <>
      <details class="card">
        <summary>
          <span class={`sign is-${state === 'asking' ? 'waiting' : state}`}>{busy ? <span class="spinner" /> : <Icon name={SIGNS[state] ?? 'tool'} size={14} />}</span>
          <strong>{titled(call.tool)}</strong>
          <span class="gist cut">{gist(masked(call.allowed ?? call.input))}</span>
          <span class={`number ${state === 'failed' ? 'is-error' : 'soft'}`}>{state === 'done' ? (call.ms !== undefined ? duration(call.ms) : '') : word}</span>
          <span class="turner"><Icon name="right" size={16} /></span>
        </summary>
        <div class="card-body">
          <section><p class="label">Arguments of <span class="mono">{call.tool}</span></p>{call.input === undefined ? <Value value={masked(call.typed)} /> : <Args value={masked(call.input)} />}</section>
          {call.allowed !== undefined && <section><p class="label">Allowed with these arguments instead</p><Args value={masked(call.allowed)} /></section>}
          {call.state === 'done' && <section><div class="row"><p class="label grow">Result</p><CopyButton text={asText(call.output)} what="result" /></div><Value value={masked(call.output)} /></section>}
          {call.error !== undefined && <section><p class="label">{state === 'stopped' || state === 'left' ? 'The model is told' : state === 'denied' ? 'Denied' : 'Error'}</p><Value value={masked(call.error)} /></section>}
        </div>
      </details>
      {asks.map((one) => <Ask key={one.run + one.id} waiting={one} deciding={deciding} />)}
    </>
  );
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2) ?? '');

function Ask({ waiting, deciding }: { waiting: Waiting; deciding: Deciding }) {
  const [mode, setMode] = useState<'' | 'deny' | 'edit' | 'result'>(waiting.kind === 'result' ? 'result' : '');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const decided = deciding.decided[waiting.run + waiting.id];
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (mode && mode !== 'result') field.current?.focus({ preventScroll: true });
    if ((mode && mode !== 'result') || problem) box.current?.scrollIntoView({ block: 'nearest' }); // with its buttons
  }, [mode, problem]);
  const decide = (decision: Decision) => deciding.decide(waiting, decision);
  const begin = (next: 'deny' | 'edit') => { setMode(next); setProblem(''); setText(next === 'edit' ? JSON.stringify(waiting.args, null, 2) : ''); };
  const confirm = () => {
    if (mode === 'deny') return decide({ action: 'deny', reason: text });
    let value: unknown;
    try { value = JSON.parse(text); } catch (error) {
      if (mode === 'result') value = text; // plain text is a result, too
      else return setProblem(`That is not JSON: ${(error as Error).message}`);
    }
    if (mode === 'edit' && (value === null || typeof value !== 'object' || Array.isArray(value))) return setProblem('Arguments are a JSON object, such as {"order": "A-17"}.');
    return decide(mode === 'edit' ? { action: 'allow', args: value } : { action: 'result', result: value });
  };
  const about = waiting.about && typeof waiting.about.message === 'string' ? waiting.about.message : null;
  if (decided) {
    const said = { allow: decided.args ? 'Allowed with other arguments' : 'Allowed', always: 'Always allowed', deny: 'Denied', result: 'Result entered' }[decided.action];
    return (
      <div class="notice is-decided"><Icon name={decided.action === 'deny' ? 'close' : 'check'} size={16} /><div>{said}: {titled(waiting.tool)}{decided.reason ? <span class="soft"> ({decided.reason})</span> : ''}. <span class="soft">{deciding.waiting.length > 1 && !deciding.busy ? 'The answer goes on when all calls are decided about.' : ''}</span></div>
        {!deciding.busy && <button class="button quiet small" onClick={() => deciding.decide(waiting, null)}>Undo</button>}</div>
    );
  }
  const isResult = waiting.kind === 'result';
  return (
    <section ref={box} class="card is-asking" aria-label={`Decision about ${titled(waiting.tool)}`}>
      <div class="card-head"><Icon name="shield" /><strong class="grow cut">{isResult ? `${titled(waiting.tool)} waits for a result` : `Allow “${titled(waiting.tool)}”?`}</strong></div>
      <div class="card-body">
        {about && <p class="small-text">{about}</p>}
        {mode !== 'edit' && <Args value={waiting.args} />}
        <Marks shown={waiting.shown} />
        {mode && (
          <label class="stack">
            <span class="label">{mode === 'deny' ? 'Why not? The model is told. (optional)' : mode === 'edit' ? 'Arguments, as JSON' : 'The result, as text or JSON'}</span>
            <textarea ref={field} class={`field ${mode === 'deny' ? '' : 'mono'}`} rows={mode === 'edit' ? 6 : 2} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
        )}
        {problem && <div class="notice is-red" role="alert"><Icon name="alert" /><div>{problem}</div></div>}
        <div class="ask-buttons">
          {mode === '' && <>
            <IconButton icon="check" label="Allow" kind="main" onClick={() => decide({ action: 'allow' })}>Allow</IconButton>
            <IconButton icon="close" label="Deny" kind="danger" onClick={() => begin('deny')}>Deny</IconButton>
            <IconButton icon="edit" label="Edit" kind="plain" onClick={() => begin('edit')}>Edit</IconButton>
            <IconButton icon="shield" label="Always" onClick={() => decide({ action: 'always' })}>Always allow in this chat</IconButton>
          </>}
          {mode !== '' && <>
            <button type="button" class={`button ${mode === 'deny' ? 'danger' : 'main'}`} onClick={confirm} disabled={isResult && !text.trim()}>
              {mode === 'deny' ? 'Deny' : mode === 'edit' ? 'Allow with these arguments' : 'Send the result'}
            </button>
            {!isResult && <button type="button" class="button quiet" onClick={() => setMode('')}>Back</button>}
          </>}
        </div>
      </div>
    </section>
  );
}

const IMAGE = /^data:image\/(?:png|jpe?g|gif|webp|avif)[;,]/i;

export function FileView({ file }: { file: FilePart }) {
  if (IMAGE.test(file.url)) return <img src={file.url} alt={file.name ?? 'Attached image'} />;
  return <span class="chip lone"><Icon name="file" size={16} /><span class="cut">{file.name ?? (file.media || 'File')}</span></span>;
}

function Picture({ part }: { part: Part & { type: 'file' } }) {
  if (IMAGE.test(part.url)) return <img class="image" src={part.url} alt="Image from the agent" />;
  return part.url.startsWith('data:')
    ? <a class="chip lone" href={part.url} download={`file.${(part.media.split('/')[1] ?? 'bin').replaceAll(/[^a-z0-9]/gi, '')}`}><Icon name="file" size={16} />Download {part.media}</a>
    : <FileView file={{ url: part.url, media: part.media }} />;
}

function AnswerPart({ part, deciding }: { part: Part; deciding: Deciding }) {
  switch (part.type) {
    case 'text': return <Prose text={part.text} />;
    case 'thinking': return <Thinking part={part} />;
    case 'file': return <Picture part={part} />;
    case 'note': return <p class="soft small-text">{part.text}</p>;
    case 'call': return <CallCard call={part} deciding={deciding} />;
  }
}

type AnswerProps = { turn: AnswerTurn; version: number; last: boolean; deciding: Deciding; usage: string; retry?: () => void; goOn?: () => void };

export const Answer = memo(function Answer({ turn, last, deciding, usage, retry, goOn }: AnswerProps) {
  const text = turn.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
  const quiet = turn.live && !turn.parts.some((part) => (part.type === 'call' && part.state !== 'done' && part.state !== 'failed') || (part.type === 'thinking' && part.live));
  return (
    <article class={`turn-answer ${last ? 'is-last' : ''}`} aria-label="Answer" aria-busy={turn.live}>
      <h2 class="unseen">Answer</h2>
      {turn.parts.map((part) => <AnswerPart key={part.id} part={part} deciding={deciding} />)}
      {quiet && <span class="cursor" />}
      {turn.stopped && <p class="soft small-text">Stopped</p>}
      {turn.error !== undefined && (
        <div class="notice is-red" role="alert"><Icon name="alert" /><div>{turn.error}</div>{retry && <button class="button danger small" onClick={retry}>Try again</button>}</div>
      )}
      {goOn && <div class="notice is-amber"><Icon name="clock" /><div>This answer was interrupted.</div><button class="button plain small" onClick={goOn}>Go on</button></div>}
      {!turn.live && (
        <div class="turn-tools">
          {text && <CopyButton text={text} what="answer" />}
          {retry && turn.error === undefined && <IconButton icon="retry" label="Answer again" class="small" onClick={retry} />}
          {usage && <span class="usage number">{usage}</span>}
        </div>
      )}
    </article>
  );
}, (before, after) => before.turn === after.turn && before.version === after.version && before.last === after.last
  && before.usage === after.usage && before.deciding === after.deciding && !before.retry === !after.retry && !before.goOn === !after.goOn);

type UserProps = { turn: UserTurn; send?: (text: string) => void; branch?: () => void };

export function Prompt({ turn, send, branch }: UserProps) {
  const [editing, setEditing] = useState(false);
  const [text, setText] = useState(turn.text);
  const editor = useRef<HTMLElement>(null);
  const begin = () => { setText(turn.text); setEditing(true); };
  const leave = () => { setEditing(false); requestAnimationFrame(() => editor.current?.querySelector<HTMLElement>('.edit-prompt')?.focus()); };
  if (editing) {
    const confirm = () => { if (text.trim()) { setEditing(false); send?.(text); } };
    return (
      <article class="turn-user" aria-label="Your message, being edited">
        <textarea class="field" rows={3} value={text} aria-label="Message" ref={(field) => { if (field && document.activeElement !== field && editing) field.focus(); }}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => { if (event.key === 'Escape') { event.stopPropagation(); leave(); } if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); confirm(); } }} />
        <div class="row"><span class="soft small-text">The earlier version stays in a chat of its own.</span>
          <button class="button quiet" onClick={leave}>Cancel</button>
          <button class="button main" onClick={confirm} disabled={!text.trim()}>Send</button></div>
      </article>
    );
  }
  return (
    <article ref={editor} class="turn-user" aria-label="You">
      {turn.files.length > 0 && <div class="files">{turn.files.map((file, index) => <FileView key={index} file={file} />)}</div>}
      {turn.text && <div class="bubble">{turn.text}</div>}
      <div class="turn-tools">
        {turn.text && <CopyButton text={turn.text} what="message" />}
        {send && <IconButton icon="edit" label="Edit in a new branch" class="small edit-prompt" onClick={begin} />}
        {branch && <IconButton icon="branch" label="Branch from here" class="small" onClick={branch} />}
      </div>
    </article>
  );
}
