// The page as it is in its file, so that it is painted before a script has run. Only the build loads this.
import { renderToString } from 'preact-render-to-string';
import { App } from './app';

export const shell = renderToString(<App />);
