import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get } from '../shared/api';
import { Status } from '../shared/controls';
import { count, duration, money, since } from '../shared/format';
import { Icon } from '../shared/icons';
import type { Summary } from './model';

type Page = { runs: Summary[]; next: string | null; digest: string };
type Same = { same: true };
const STATES = ['', 'running', 'waiting', 'done', 'failed'];

export function RunsList({ open, chosen }: { open: (id: string) => void; chosen: string }) {
  const [text, setText] = useState('');
  const [status, setStatus] = useState('');
  const [inner, setInner] = useState(false);
  const [page, setPage] = useState<Page | null>(null);
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(true); // it begins with loading
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef(0);
  const query = (more: { before?: string; known?: string } = {}) => new URLSearchParams({ text, status, ...(inner ? { inner: '1' } : {}), ...more, limit: '100' });
  const load = useCallback(async (known = '') => {
    const number = ++wanted.current;
    setBusy(!known);
    try {
      const first = await get<Page | Same>(`inspect/runs?${query(known ? { known } : {})}`);
      if ('same' in first) return;
      let found = first;
      while (number === wanted.current && text && found.next && found.runs.length < 100) { // a search goes on in pieces
        setPage({ ...found });
        const more = await get<Page>(`inspect/runs?${query({ before: found.next })}`);
        found = { ...found, runs: [...found.runs, ...more.runs], next: more.next };
      }
      if (number === wanted.current) { setPage(found); setProblem(''); }
    } catch (error) { if (number === wanted.current) setProblem((error as Error).message); }
    if (number === wanted.current) setBusy(false);
  }, [text, status, inner]);
  useEffect(() => { const timer = setTimeout(() => void load(), text ? 200 : 0); return () => clearTimeout(timer); }, [load]);
  useEffect(() => {
    const timer = setInterval(() => { if (!document.hidden && !text && (box.current?.scrollTop ?? 0) < 40 && (page?.runs.length ?? 0) <= 100) void load(page?.digest); }, 3000);
    return () => clearInterval(timer);
  }, [load, text, page]);
  const more = async () => {
    if (!page?.next || busy) return;
    setBusy(true);
    try { const next = await get<Page>(`inspect/runs?${query({ before: page.next })}`); setPage({ ...page, runs: [...page.runs, ...next.runs], next: next.next }); } catch (error) { setProblem((error as Error).message); }
    setBusy(false);
  };
  return (
    <>
      <div class="with-icon"><Icon name="search" /><input class="field" type="search" aria-label="Search in everything" placeholder="Search in everything" value={text} onInput={(event) => setText(event.currentTarget.value)} /></div>
      <div class="row">
        <span class="picker grow"><select class="pick framed grow" aria-label="State" value={status} onChange={(event) => setStatus(event.currentTarget.value)}>
          {STATES.map((one) => <option key={one} value={one}>{one ? one[0]!.toUpperCase() + one.slice(1) : 'All states'}</option>)}
        </select><Icon name="down" size={14} /></span>
        <button class="button quiet" aria-pressed={inner} onClick={() => setInner(!inner)} title="Show the runs inside of others, too"><Icon name="layers" size={16} />Inner runs</button>
      </div>
      {problem && <div class="notice is-red" role="alert"><Icon name="alert" /><div>{problem}</div></div>}
      <nav aria-label="Runs" ref={box} onScroll={() => { const { scrollTop, scrollHeight, clientHeight } = box.current!; if (scrollHeight - scrollTop - clientHeight < 300) void more(); }}>
        {page?.runs.length === 0 && !busy && <p class="soft small-text">{text || status ? 'No run is like that.' : 'The journal has no runs yet.'}</p>}
        <ul class="runs">
          {page?.runs.map((run) => (
            <li key={run.id}>
              <button class={`run ${run.id === chosen ? 'is-open' : ''}`} aria-current={run.id === chosen ? 'page' : undefined} onClick={() => open(run.id)}>
                <span class="row"><Status status={run.status} /><span class="grow" />{run.base && <span class="badge"><Icon name="branch" size={12} />fork</span>}<span class="soft small-text">{since(run.begun)}</span></span>
                <span class="run-title">{run.prompt || run.agent || run.id.slice(-8)}</span>
                {run.error && <span class={run.status === 'stopped' ? 'soft xs cut' : 'run-error cut'}>{run.error}</span>}
                <span class="row soft xs number"><span class="cut">{run.agent ?? 'agent'}</span><span>·</span><span>{duration((run.updated - run.begun) * 1000)}</span><span>·</span><span>{count(run.tokens)} tokens</span>{run.cost ? <><span>·</span><span>{money(run.cost)}</span></> : null}</span>
              </button>
            </li>
          ))}
        </ul>
        {busy && <div class="row soft small-text"><span class="spinner" />{text ? 'Searching' : 'Loading'}</div>}
      </nav>
    </>
  );
}
