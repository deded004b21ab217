import { useCallback, useEffect, useState } from 'preact/hooks';
import { get } from '../shared/api';
import { ThemeButton } from '../shared/controls';
import { cut } from '../shared/format';
import { Icon } from '../shared/icons';
import { Compare, RunView, type Setup, useTrace } from './run';
import { RunsList } from './runs';

const placeOf = () => { const query = new URLSearchParams(location.hash.slice(1)); return { run: query.get('run') ?? '', against: query.get('against') ?? '' }; };

function OneRun({ id, setup, open, back }: { id: string; setup: Setup | undefined; open: (id: string, against?: string) => void; back: () => void }) {
  const { trace, problem, reload } = useTrace(id);
  useEffect(() => { if (trace) document.title = `${cut(trace.run.prompt, 60) || 'Run'} · Inspector`; }, [trace]);
  if (problem && !trace) return <div class="run-page"><div class="notice is-red" role="alert"><Icon name="alert" /><div>{problem}</div></div></div>;
  if (!trace) return <div class="run-page"><div class="row soft"><span class="spinner" />Loading</div></div>;
  return <>
    {problem && <div class="notice is-amber is-afloat" role="alert"><Icon name="alert" /><div>What is shown may be old. {problem}</div></div>}
    <RunView trace={trace} setup={setup} open={open} reload={reload} back={back} />
  </>;
}

export function App() {
  const [setup, setSetup] = useState<Setup>();
  const [problem, setProblem] = useState('');
  useEffect(() => { get<Setup>('inspect/setup').then(setSetup, (error: Error) => setProblem(error.message)); }, []);
  const [place, setPlace] = useState(placeOf);
  const open = useCallback((run: string, against = '') => {
    location.hash = new URLSearchParams({ ...(run ? { run } : {}), ...(against ? { against } : {}) }).toString();
  }, []);
  useEffect(() => { const onMove = () => setPlace(placeOf()); addEventListener('hashchange', onMove); return () => removeEventListener('hashchange', onMove); }, []);
  if (problem) return <div class="error-page"><div class="notice is-red" role="alert"><Icon name="alert" /><div>{problem}</div></div></div>;
  return (
    <div class={`frame is-inspector ${place.run ? 'has-run' : ''}`}>
      <aside class="side" aria-label="Runs">
        <h2 class="unseen">Runs</h2>
        <div class="row"><div class="name grow"><span class="mark"><Icon name="layers" /></span><span class="cut">{setup?.name}</span>{setup && !setup.may_change && <span class="badge">read-only</span>}</div><ThemeButton /></div>
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
