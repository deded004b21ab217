import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { get, post, Refused, stream } from '../shared/api';
import { Announcer, IconButton, store, stored, ThemeButton } from '../shared/controls';
import { count, cut, money } from '../shared/format';
import { Icon } from '../shared/icons';
import { loadRich } from '../shared/rich';
import { Composer, type Setup } from './composer';
import { type AnswerTurn, type Call, type FilePart, newAnswer, newId, newKey, type State, takeEvent, type Turn, turnsOf, unsent, type UserTurn, type Waiting } from './model';
import { Answer, type Decision, type Deciding, Prompt } from './parts';

type Talk = { id: string; title: string; at: number; status: string };

/** What a person stopped. */
const stops = new WeakSet<AbortController>();
const idOf = () => new URLSearchParams(location.hash.slice(1)).get('c') ?? '';
const path = (id: string, action = '') => `talk/conversations/${id}${action && `/${action}`}`;
const wordsOf = (error: unknown) => (error instanceof Refused ? error.message : `Something went wrong on this page: ${String(error)}`);

function useTalks() {
  const [talks, setTalks] = useState<Talk[]>([]);
  const [text, setText] = useState('');
  const load = useCallback(async () => {
    try { setTalks((await get<{ conversations: Talk[] }>(`talk/conversations?text=${encodeURIComponent(text)}`)).conversations); } catch { /* the list is as it was */ }
  }, [text]);
  useEffect(() => { const timer = setTimeout(load, text ? 200 : 0); return () => clearTimeout(timer); }, [load]);
  return { talks, text, setText, load };
}

/** Scroll along with what comes, until someone scrolls away from the end. */
function useFollowing(version: number) {
  const box = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const last = useRef(0);
  const [away, setAway] = useState(false);
  useLayoutEffect(() => { if (following.current && box.current) box.current.scrollTop = box.current.scrollHeight; }, [version]);
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!;
    // What comes in between a scroll and its event must not look like someone who scrolled away.
    if (scrollHeight - scrollTop - clientHeight < 48) following.current = true;
    else if (scrollTop < last.current - 2) following.current = false;
    last.current = scrollTop;
    setAway(!following.current);
  };
  const jump = () => { following.current = true; setAway(false); box.current?.scrollTo({ top: box.current.scrollHeight }); };
  return { box, away, onScroll, jump };
}

/** The page. `typed` is what was written into its field before it came to life. */
export function App({ setup, typed }: { setup: Setup; typed: string }) {
  const [id, setId] = useState(idOf() || newId());
  const [turns, setTurns] = useState<Turn[]>([]);
  const [state, setState] = useState<State | null>(null);
  const [version, setVersion] = useState(0);
  const [busy, setBusy] = useState(false);
  const [loading, setLoading] = useState(Boolean(idOf()));
  const [problem, setProblem] = useState('');
  const [said, setSaid] = useState('');
  const [open, setOpen] = useState(false);
  const [decided, setDecided] = useState<Record<string, Decision>>({});
  const [model, setModel] = useState(() => setup.models.find((one) => one.id === stored('stead-model'))?.id ?? setup.models[0]?.id ?? '');
  const [tools, setTools] = useState<string[]>([]);
  const running = useRef<AbortController | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const wanted = useRef(id);
  const talks = useTalks();
  const { box, away, onScroll, jump } = useFollowing(version);
  const redraw = useRef(0);
  const drawSoon = () => { if (!redraw.current) redraw.current = requestAnimationFrame(() => { redraw.current = 0; setVersion((number) => number + 1); }); };

  const show = useCallback((next: State | null, fresh: Turn[] | ((before: Turn[]) => Turn[])) => {
    setState(next);
    setTurns(fresh);
    setDecided({});
    setLoading(false);
    setVersion((number) => number + 1);
  }, []);

  const load = useCallback(async (name: string) => {
    try {
      const [next] = await Promise.all([get<State>(path(name)), loadRich().catch(() => undefined)]);
      if (wanted.current !== name || running.current) return; // another one was opened meanwhile, or this one goes on
      show(next, (before) => [...turnsOf(next), ...unsent(before)]);
      setProblem('');
      if (next.status === 'running') latest.current.comeBack(name, next);
    } catch (error) {
      if (wanted.current !== name || running.current) return; // another one was opened meanwhile, or this one goes on
      show(null, []);
      if (!(error instanceof Refused && error.status === 404)) setProblem(wordsOf(error));
    }
  }, [show]);

  const go = useCallback((name: string, known = true) => {
    running.current?.abort();
    wanted.current = name;
    setId(name);
    setOpen(false);
    setProblem('');
    history.pushState(null, '', known ? `#c=${name}` : location.pathname);
    show(null, []);
    setLoading(known);
    if (known) void load(name);
    field.current?.focus();
  }, [load, show]);

  useEffect(() => {
    if (loading) void load(id); // the address when it was opened: something may have been sent since
    const onPop = () => { const name = idOf() || newId(); running.current?.abort(); wanted.current = name; setId(name); show(null, []); setLoading(Boolean(idOf())); if (idOf()) void load(name); };
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);

  // Another tab has it answered, or a server that was killed had: it is looked at until that is over, or can be gone on with.
  const isElsewhere = !busy && state?.status === 'running';
  useEffect(() => {
    if (!isElsewhere) return;
    const timer = setInterval(async () => {
      if (document.hidden) return;
      const next = await get<State>(path(id)).catch(() => null);
      if (next && wanted.current === id && !running.current && (next.status !== 'running' || next.messages.length !== state.messages.length)) show(next, (before) => [...turnsOf(next), ...unsent(before)]);
    }, 2000);
    return () => clearInterval(timer);
  }, [isElsewhere, state, id]);

  /** Come back to an answer that is being written here, as after the page was loaded again: its events are taken from the first one on. */
  const comeBack = (name: string, next: State) => {
    let attached = false;
    const controller = new AbortController();
    void stream(path(name, 'answer'), undefined, controller.signal, (event) => { if (!attached) { attached = true; controller.abort(); follow(event); } }).catch(() => undefined);
    const follow = (start: { after?: number | null }) => {
      if (wanted.current !== name || running.current) return;
      const before = turnsOf(start.after == null ? next : { ...next, messages: next.messages.slice(0, start.after) });
      const last = before.at(-1);
      if (start.after == null) void answer(name, 'answer', undefined, last?.role === 'answer' ? before.slice(0, -1) : before);
      else void answer(name, 'answer', undefined, before, last?.role === 'answer' ? last : undefined);
    };
  };

  /** Stop the answer: the server keeps what has come of it. */
  const stop = () => {
    const controller = running.current;
    if (!controller) return;
    stops.add(controller);
    void post(path(wanted.current, 'stop'), {}).catch(() => undefined).finally(() => controller.abort());
  };

  /** Let an answer come in, at the end of some turns. If that is refused since the conversation is not any more what this page took
      it for, it is shown as it stands, and nothing else happens. */
  const answer = async (name: string, action: string, body: object | undefined, before: Turn[], into?: AnswerTurn) => {
    const turn = into ?? newAnswer();
    turn.live = true;
    turn.replayed = turn.parts.some((part) => part.type === 'call' && (part.state === 'open' || part.state === 'asking'));
    delete turn.error;
    delete turn.refused;
    const all = into ? before : [...before, turn];
    const controller = new AbortController();
    running.current = controller;
    setBusy(true);
    setProblem('');
    setTurns(all);
    setSaid('The agent is answering.');
    drawSoon();
    let after: State | null = null;
    let refused: Refused | null = null;
    let listed = talks.talks.some((one) => one.id === name);
    try {
      await stream(path(name, action), body && { ...body, model: model || undefined, tools }, controller.signal, (event) => {
        if (!listed && event.type === 'start-step') { listed = true; void talks.load(); }
        if (event.type === 'data-state') after = event.data as State;
        else takeEvent(turn, event);
        drawSoon();
      });
    } catch (error) {
      if ((error as Error).name === 'AbortError') turn.stopped = true;
      else if (error instanceof Refused && ((body && 'again' in body) || (action !== 'say' && error.status === 409))) refused = error;
      else Object.assign(turn, { error: wordsOf(error), refused: error instanceof Refused });
    }
    if (stops.has(controller) && !after) turn.stopped = true;
    turn.live = false;
    turn.version++;
    for (const part of turn.parts) if (part.type === 'call' && (part.state === 'running' || part.state === 'writing')) part.state = turn.error === undefined ? 'open' : 'failed';
    if (running.current !== controller) return; // another conversation was opened meanwhile
    running.current = null;
    setBusy(false);
    const { status, message } = (refused as Refused | null) ?? {};
    if (message !== undefined) {
      setTurns(turns); // what was taken away for this answer, such as what had been refused before, is there again
      if (status === 409) await load(name);
      if (wanted.current === name) setProblem(message);
      setSaid(message);
    } else if (turn.stopped || (!after && turn.error === undefined)) { // by a person, or with its server
      setSaid('The answer was stopped.');
      after = await afterStop(name);
      if (running.current || wanted.current !== name) return; // it was gone on with meanwhile
    } else {
      const text = turn.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
      setSaid(turn.error ?? ((after as State | null)?.waiting.length ? (after as State | null)!.waiting.some((one) => one.kind === 'approval') ? 'A tool needs your approval.' : 'A tool waits for a result.' : `Answer: ${cut(text, 500)}`));
    }
    if (after) settle(after, all, turn);
    setVersion((number) => number + 1);
    void talks.load();
  };

  /** How a conversation stands when the server has kept what had come of an answer that was stopped. */
  const afterStop = async (name: string) => {
    for (let wait = 100; ; wait *= 2) {
      await new Promise((done) => setTimeout(done, wait));
      const next = await get<State>(path(name)).catch(() => null);
      if (!next || next.status === 'done' || wait > 2000) return next;
    }
  };

  /** Take over how the server says that the conversation stands, and keep what is on the page where it is the same. */
  const settle = (next: State, all: Turn[], turn: AnswerTurn) => {
    const fresh = turnsOf(next);
    setState(next);
    setDecided({});
    if (fresh.length !== all.length || fresh.some((one, place) => one.role !== all[place]!.role)) {
      if (turn.stopped || turn.error !== undefined) { // what did not become part of the conversation stays visible until it goes on
        for (const [place, one] of fresh.entries()) if (one.role === 'user' && all[place]?.role === 'user') (all[place] as UserTurn).index = one.index;
        setTurns([...all]);
        return;
      }
      setTurns(fresh);
      return;
    }
    fresh.forEach((one, place) => {
      const old = all[place]!;
      if (one.role === 'user' && old.role === 'user') old.index = one.index;
      if (one.role === 'answer' && old.role === 'answer') {
        const ids = new Set(one.parts.map((part) => part.id));
        if (old.parts.some((part) => part.type === 'call' && !ids.has(part.id))) old.parts = one.parts; // it got another id, as one before has its own
        Object.assign(old, { model: one.model, input: one.input, output: one.output, version: old.version + 1 });
        for (const part of old.parts) {
          if (part.type === 'thinking') delete part.ms; // no record has it: it would be gone after a reload
          if (part.type !== 'call') continue;
          const now = one.parts.find((other) => other.type === 'call' && other.id === part.id);
          if (now?.type === 'call') Object.assign(part, { state: now.state, input: now.input ?? part.input, error: now.error ?? part.error, ms: now.ms });
        }
      }
    });
    setTurns([...all]);
  };

  const send = (text: string, files: FilePart[] = [], before = turns, name = id, again?: { keep: number; run?: string; messages?: number }) => {
    const turn: UserTurn = { role: 'user', key: newKey(), text, files, index: -1 };
    if (idOf() !== name) history.pushState(null, '', `#c=${name}`);
    jump();
    return answer(name, 'say', { text, files, ...(again && { again }) }, [...before, turn]);
  };

  const retry = (place: number) => {
    const turn = turns.slice(0, place).reverse().find((one): one is UserTurn => one.role === 'user');
    if (!turn || busy) return;
    const from = turns.indexOf(turn);
    // What is dropped is what is shown here, and nothing that was said elsewhere.
    const again = turn.index >= 0 ? { keep: turn.index, run: state?.run, messages: state?.messages.length } : undefined;
    void send(turn.text, turn.files, turns.slice(0, from), id, again);
  };

  const branch = async (turn: UserTurn, text?: string) => {
    try {
      const { id: other } = await post<{ id: string }>(path(id, 'branch'), { messages: text === undefined ? nextIndex(turn) : Math.max(turn.index, 0) });
      const kept = turns.slice(0, turns.indexOf(turn));
      go(other);
      if (text !== undefined) await send(text, turn.files, kept, other);
      else void talks.load();
    } catch (error) { setProblem(wordsOf(error)); }
  };
  const nextIndex = (turn: UserTurn) => {
    const next = turns.slice(turns.indexOf(turn) + 1).find((one): one is UserTurn => one.role === 'user');
    return next?.index ?? state?.messages.length ?? 0;
  };

  const waiting = state?.waiting ?? [];
  const decide = (one: Waiting, decision: Decision | null) => {
    const all = { ...decided };
    if (decision) all[one.run + one.id] = decision; else delete all[one.run + one.id];
    setDecided(all);
    // What was pressed goes away. Where a touch would open a keyboard on the screen, nothing takes its place.
    if (matchMedia('(pointer: fine)').matches) requestAnimationFrame(() => {
      const next = box.current?.querySelector<HTMLElement>('.is-asking .ask-buttons button');
      (next ?? field.current)?.focus({ preventScroll: !next });
    });
    if (waiting.every((other) => all[other.run + other.id])) {
      for (const turn of turns) for (const part of turn.role === 'answer' ? turn.parts : []) {
        const own = part.type === 'call' && waiting.find((other) => other.id === part.id);
        if (own && all[own.run + own.id]!.args !== undefined) (part as Call).allowed = all[own.run + own.id]!.args;
      }
      const decisions = waiting.map((other) => ({ run: other.run, id: other.id, digest: other.digest, ...all[other.run + other.id] }));
      const last = turns[turns.length - 1];
      void answer(id, 'decide', { decisions }, turns, last?.role === 'answer' ? last : undefined);
    }
  };
  const deciding: Deciding = useMemo(() => ({ waiting: busy ? [] : waiting, decided, decide: (one, decision) => latest.current.decide(one, decision), busy }), [waiting, decided, busy, turns]);
  const goOn = () => { const last = turns[turns.length - 1]; void answer(id, 'go-on', {}, turns, last?.role === 'answer' ? last : undefined); };
  // Answers that did not change are not drawn anew: what they do is done as the page stands then, such as with the model chosen since.
  const latest = useRef({ decide, retry, goOn, comeBack, stop });
  latest.current = { decide, retry, goOn, comeBack, stop };

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') { if (open) setOpen(false); else latest.current.stop(); }
      if (event.key.toLowerCase() === 'o' && (event.ctrlKey || event.metaKey) && event.shiftKey) { event.preventDefault(); go(newId(), false); }
      const typing = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key === '/' && !typing) { event.preventDefault(); field.current?.focus(); }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [open, go]);

  const first = turns[0]?.role === 'user' ? cut(turns[0].text, 60) : '';
  const title = talks.talks.find((one) => one.id === id)?.title ?? (state?.messages.length ? state.title : first);
  useEffect(() => { document.title = title ? `${title} · ${setup.name}` : setup.name; }, [title]);
  const usageOf = (turn: AnswerTurn) => [turn.output ? `${count(turn.input)} in, ${count(turn.output)} out` : '', setup.models.length > 1 && turn.model ? turn.model : ''].filter(Boolean).join(' · ');
  const tokens = turns.reduce((sum, turn) => sum + (turn.role === 'answer' ? turn.input + turn.output : 0), 0);
  const used = [tokens ? `${count(tokens)} tokens` : '', tokens && state?.cost ? money(state.cost) : ''].filter(Boolean).join(' · ');
  const left = state?.left ? `Left: ${state.left}` : '';
  const unplaced = waiting.filter((one) => !turns.some((turn) => turn.role === 'answer' && turn.parts.some((part) => part.type === 'call' && (part.id === one.inside || part.id === one.id))));
  const composer = <Composer {...{ setup, typed, busy, model, tools, field, setTools }} setModel={(value) => { setModel(value); store('stead-model', value); }} send={(text, files) => void send(text, files)}
    stop={stop} editLast={() => (document.querySelectorAll<HTMLButtonElement>('.edit-prompt').item(document.querySelectorAll('.edit-prompt').length - 1))?.click()} />;

  return (
    <div class="frame">
      <button class={`veil ${open ? 'is-open' : ''}`} aria-label="Close the list of chats" tabIndex={-1} onClick={() => setOpen(false)} />
      <aside class={`side ${open ? 'is-open' : ''}`} aria-label="Chats">
        <div class="row"><div class="name grow"><span class="mark"><Icon name="spark" /></span><span class="cut">{setup.name}</span></div><ThemeButton /></div>
        <IconButton icon="plus" label="New chat" kind="plain" onClick={() => go(newId(), false)}>New chat</IconButton>
        <div class="with-icon"><Icon name="search" /><input class="field" type="search" aria-label="Search chats" placeholder="Search chats" value={talks.text} onInput={(event) => talks.setText(event.currentTarget.value)} /></div>
        <nav aria-label="Chats">
          {talks.talks.length === 0 && <p class="soft small-text row">{talks.text ? 'No chat mentions that.' : 'Your chats will be listed here.'}</p>}
          <ul class="talks">
            {talks.talks.map((talk) => (
              <li key={talk.id} class={`talk ${talk.id === id ? 'is-open' : ''}`}>
                <button class="cut" aria-current={talk.id === id ? 'page' : undefined} onClick={() => go(talk.id)}>{talk.status === 'waiting' && <span class="badge is-amber">waits</span>} {talk.title}</button>
                <IconButton icon="trash" label={`Delete ${talk.title}`} class="small" onClick={async () => {
                  if (!confirm(`Delete “${talk.title}”? This cannot be undone.`)) return;
                  try { await post(path(talk.id, 'delete'), {}); } catch (error) { setProblem(wordsOf(error)); }
                  if (talk.id === id) go(newId(), false);
                  void talks.load();
                }} />
              </li>
            ))}
          </ul>
        </nav>
      </aside>
      <main class="pane">
        <header class="top">
          <IconButton icon="menu" label="Chats" class="only-narrow" onClick={() => setOpen(true)} />
          <h1 class="grow cut">{title || (loading ? '' : 'New chat')}</h1>
          <span class="soft small-text number">{used}</span>
          {left && <span class="soft small-text number left" title="What is left of the budget that all chats share">{left}</span>}
          <IconButton icon="plus" label="New chat" class="only-narrow" onClick={() => go(newId(), false)} />
        </header>
        {turns.length === 0 && loading ? (
          <div class="column empty is-loading" aria-busy="true"><span class="spinner" /><span class="unseen">Loading</span></div>
        ) : turns.length === 0 ? (
          <div class="column empty">
            <span class="mark"><Icon name="spark" /></span>
            <h2>What can I do for you?</h2>
            {problem && <div class="notice is-red" role="alert"><Icon name="alert" /><div>{problem}</div></div>}
            {setup.examples.length > 0 && <div class="examples">{setup.examples.map((text) => <button key={text} onClick={() => void send(text)}><span>{text}</span></button>)}</div>}
          </div>
        ) : (
          <div class="log" ref={box} onScroll={onScroll} tabIndex={-1}>
            <div class="column turns">
              {turns.map((turn, place) => turn.role === 'user'
                ? <Prompt key={turn.key} turn={turn} send={busy || turn.index < 0 ? undefined : (text) => void branch(turn, text)} branch={busy || turn.index < 0 ? undefined : () => void branch(turn)} />
                : <Answer key={turn.key} turn={turn} version={turn.version} last={place === turns.length - 1} deciding={deciding} usage={usageOf(turn)}
                    retry={!busy && !waiting.length ? () => latest.current.retry(place) : undefined}
                    goOn={!busy && state?.status === 'left' && place === turns.length - 1 ? () => latest.current.goOn() : undefined} />)}
              {unplaced.length > 0 && !busy && <Answer turn={{ ...newAnswer(), live: false, parts: unplaced.map((one) => ({ type: 'call', id: one.id, tool: one.tool, state: 'asking', typed: '', input: one.args })) }} version={0} last={false} deciding={deciding} usage="" />}
              {isElsewhere && <p class="row soft small-text"><span class="spinner" />This is being answered elsewhere.</p>}
              {problem && <div class="notice is-red" role="alert"><Icon name="alert" /><div>{problem}</div></div>}
            </div>
          </div>
        )}
        <div class="foot"><div class="column">
          {away && turns.length > 0 && <IconButton icon="arrow" label="Jump to the end" kind="plain" class="jump round" onClick={jump} />}
          {composer}
          <p class="hint">Enter sends, Shift+Enter makes a new line, Esc stops. Answers can be wrong.</p>
        </div></div>
      </main>
      <Announcer text={said} />
    </div>
  );
}
