import { begin } from '../shared/begin';
import { applyTheme, chosenTheme } from '../shared/controls';
import { loadRichSoon } from '../shared/rich';
import { App } from './app';

applyTheme(chosenTheme());
begin(<App />);
loadRichSoon();
