import { begin } from '../shared/begin';
import { applyTheme, stored } from '../shared/controls';
import { loadRichSoon } from '../shared/rich';
import { App } from './app';

applyTheme(stored('stead-theme') ?? 'system');
begin(<App />);
loadRichSoon();
