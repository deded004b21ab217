import { render } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { get } from '../shared/api';
import { applyTheme, stored, ThemeButton } from '../shared/controls';
import { cut } from '../shared/format';
import { Icon } from '../shared/icons';
import type { Trace } from './model';
import { Compare, RunView, type Setup, useTrace } from './run';
import { RunsList } from './runs';

const placeOf = () => { const query = new URLSearchParams(location.hash.slice(1)); return { run: query.get('run') ?? '', against: query.get('against') ?? '' }; };

function OneRun({ id, setup, open, back }: { id: string; setup: Setup; open: (id: string, against?: string) => void; back: () => void }) {
  const { trace, problem, reload } = useTrace(id);
  useEffect(() => { if (trace) document.title = `${cut(trace.run.prompt, 60) || 'Run'} · Inspector`; }, [trace]);
  if (problem && !trace) return <div class="run-page"><div class="notice is-red" role="alert"><Icon name="alert" /><div>{problem}</div></div></div>;
  if (!trace) return <div class="run-page"><div class="row soft"><span class="spinner" />Loading</div></div>;
  return <>
    {problem && <div class="notice is-amber is-afloat" role="alert"><Icon name="alert" /><div>What is shown may be old. {problem}</div></div>}
    <RunView trace={trace} setup={setup} open={open} reload={reload} back={back} />
  </>;
}

function App({ setup }: { setup: Setup }) {
  const [place, setPlace] = useState(placeOf);
  const open = useCallback((run: string, against = '') => {
    location.hash = new URLSearchParams({ ...(run ? { run } : {}), ...(against ? { against } : {}) }).toString();
  }, []);
  useEffect(() => { const onMove = () => setPlace(placeOf()); addEventListener('hashchange', onMove); return () => removeEventListener('hashchange', onMove); }, []);
  return (
    <div class={`frame is-inspector ${place.run ? 'has-run' : ''}`}>
      <aside class="side" aria-label="Runs">
        <h2 class="unseen">Runs</h2>
        <div class="row"><div class="name grow"><span class="mark"><Icon name="layers" /></span><span class="cut">{setup.name}</span>{!setup.may_change && <span class="badge">read-only</span>}</div><ThemeButton /></div>
        <RunsList open={open} chosen={place.run} />
      </aside>
      <main class="pane">
        {place.run && place.against ? <Compare key={place.run} id={place.run} against={place.against} open={open} back={() => open(place.run)} />
          : place.run ? <OneRun key={place.run} id={place.run} setup={setup} open={open} back={() => open('')} />
          : <div class="empty column"><span class="mark"><Icon name="layers" /></span><h1>Choose a run</h1><p class="soft">Its steps, calls and times are shown here: what was sent, what came back, and what it cost.</p></div>}
      </main>
    </div>
  );
}

applyTheme(stored('stead-theme') ?? 'system');
const root = document.getElementById('app')!;
const kept = document.getElementById('trace');
const begin = (what: preact.ComponentChild) => { root.replaceChildren(); render(what, root); };
if (kept) {
  begin(<main class="pane is-alone"><RunView trace={JSON.parse(kept.textContent!) as Trace} /></main>);
} else {
  get<Setup>('inspect/setup').then((setup) => begin(<App setup={setup} />), (error: Error) => begin(<div class="error-page"><div class="notice is-red" role="alert"><Icon name="alert" /><div>{error.message}</div></div></div>));
}
