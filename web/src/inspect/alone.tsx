// One run as a page that needs no server: the trace is in it.
import { render } from 'preact';
import { applyTheme, chosenTheme } from '../shared/controls';
import { loadRich } from '../shared/rich';
import type { Trace } from './model';
import { RunView } from './run';

applyTheme(chosenTheme());
const trace = JSON.parse(document.getElementById('trace')!.textContent!) as Trace;
const root = document.getElementById('app')!;
void loadRich().then(() => { // it is in this script
  root.replaceChildren();
  render(<main class="pane is-alone"><RunView trace={trace} /></main>, root);
});
