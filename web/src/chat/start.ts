import { painted } from '../shared/painted';

void painted().then(() => import('./main'));
