import { after, get } from '../shared/api';
import { begin } from '../shared/begin';
import { applyTheme, chosenTheme } from '../shared/controls';
import { loadRichSoon } from '../shared/rich';
import { App } from './app';
import type { Setup } from './composer';

applyTheme(chosenTheme());
// Its answer brings the cookie that tells browsers apart: two requests without it would be two browsers.
after(get<Setup>('talk/setup'));
const setup = JSON.parse(document.getElementById('setup')!.textContent!) as Setup;
begin(<App setup={setup} typed={document.querySelector('textarea')?.value ?? ''} />);
loadRichSoon();
