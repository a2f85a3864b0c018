import { allowClosing, recordMutation, type Draft, pathOf } from './draft.js';
import type { Random } from './random.js';

/** Methods of HTTP that the service does not have everywhere. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'SEARCH', 'LINK'];

/** Another method, or a request that is hardly valid HTTP. */
export function faultInHttp(draft: Draft, random: Random): void {
  if (random.chance(0.6)) {
    draft.method = random.pick(METHODS);
    recordMutation(draft, `the method ${draft.method}`);
  } else {
    random.pick(UNUSUAL)(draft);
  }
}

const UNUSUAL: readonly ((draft: Draft) => void)[] = [
  (draft) => {
    draft.target = `http://example.com${pathOf(draft)}`;
    recordMutation(draft, 'an absolute address');
  },
  (draft) => {
    draft.headers.push(['Expect', '100-continue']);
    recordMutation(draft, 'Expect: 100-continue');
  },
  (draft) => {
    draft.headers.push(['Expect', 'the unexpected']);
    draft.also.push(417);
    recordMutation(draft, 'Expect: the unexpected', 'rejected');
  },
  (draft) => {
    draft.headers.push(['Host', 'a b']);
    recordMutation(draft, 'a second, invalid Host', 'rejected');
  },
  (draft) => closing(draft, 'a method in small letters', () => (draft.method = draft.method.toLowerCase())),
  (draft) => closing(draft, 'an unknown method', () => (draft.method = 'BREW')),
  (draft) => closing(draft, 'a blank in the path', () => (draft.target = `${pathOf(draft)} x`)),
  (draft) => closing(draft, 'a NUL in the path', () => (draft.target = `${pathOf(draft)}\0`)),
  (draft) => closing(draft, 'a header without a name', () => draft.headers.push(['', 'x'])),
  (draft) => closing(draft, 'a header with a blank name', () => draft.headers.push(['X Y', 'x'])),
  (draft) => closing(draft, 'a header with a NUL', () => draft.headers.push(['X-Nul', 'a\0b'])),
  (draft) => closing(draft, 'an obsolete fold', () => draft.headers.push(['X-Fold', 'a\r\n b'])),
  (draft) => closing(draft, 'another length as well', () => draft.headers.push(['Content-Length', '7'])),
  (draft) => closing(draft, 'a negative length', () => draft.headers.push(['Content-Length', '-1'])),
  (draft) => closing(draft, 'two different lengths', () => draft.headers.push(['Transfer-Encoding', 'chunked, gzip'])),
];

function closing(draft: Draft, mutation: string, change: () => void): void {
  change();
  allowClosing(draft);
  recordMutation(draft, mutation);
}
