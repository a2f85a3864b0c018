import { type Bearer, recordMutation, type Draft, isPublic } from './draft.js';
import type { Random } from './random.js';

const KEYS: readonly [key: string, isRefused: boolean][] = [
  ['12345678', false],
  ['1234567', true],
  ['k'.repeat(255), false],
  ['k'.repeat(256), true],
  ['with a blank', true],
  ['clé-1234567', true],
  ['tab\tinside', true],
  ['', true],
  ['!"#$%&\'()*+,-./', false],
  ['__proto__', false],
  ['constructor', false],
];

const TAGS = [
  ...['"1"', '"2"', '*', 'W/"1"', '"1", "2"', '"0"', '"-1"', '"1', '1', '""', '"a\u00ff"', ',', '"1",', 'w/"1"'],
  ...['"99999999999999999999"', '"2147483648"', '"9007199254740993"', '"1" "2"', `"${'1'.repeat(300)}"`, '"\\"'],
];

/** Headers that change nothing, with any value. */
const HARMLESS: readonly [name: string, value: string][] = [
  ['Accept', 'text/html'],
  ['Accept', 'application/xml;q=0, */*;q=0'],
  ['Accept', ';;;,,,'],
  ['Accept-Encoding', 'gzip, br, zstd, *;q=0'],
  ['Accept-Language', 'xx-__proto__, \u00ff'],
  ['Accept-Charset', 'utf-16'],
  ['Cookie', '__proto__=1; session=%zz; a="'],
  ['Forwarded', 'for="[::1]";host=evil'],
  ['X-Forwarded-For', "127.0.0.1, ::1, ' or 1=1"],
  ['X-Forwarded-Host', 'evil.example.com'],
  ['X-Forwarded-Proto', 'javascript'],
  ['X-Real-IP', '999.999.999.999'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Original-URL', '/v1/admin/identity/users'],
  ['Range', 'bytes=0-0,1-1,-1'],
  ['If-Range', '"1"'],
  ['If-Modified-Since', 'Thu, 99 Foo 99999 99:99:99 GMT'],
  ['If-Unmodified-Since', 'never'],
  ['Origin', 'null'],
  ['Origin', 'https://evil.example.com'],
  ['Referer', 'javascript:alert(1)'],
  ['User-Agent', "() { :; }; echo ${jndi:ldap://x} '; drop table x; --"],
  ['Max-Forwards', '0'],
  ['TE', 'trailers, deflate'],
  ['Upgrade-Insecure-Requests', '1'],
  ['traceparent', '00-zz-zz-zz'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
  ['toString', 'x'],
];

/** These are ambiguous if they are repeated. */
const ONCE: readonly [name: string, value: string][] = [
  ['Authorization', 'Bearer x'],
  ['X-Api-Key', 'x'],
  ['Content-Type', 'application/json'],
  ['Idempotency-Key', 'first-of-two'],
  ['If-Match', '"1"'],
  ['If-None-Match', '"1"'],
  ['Host', 'localhost'],
  ['X-Request-Id', 'first-of-two'],
];

export function faultInHeaders(draft: Draft, random: Random): void {
  const kind = random.weighted({ credential: 4, key: 3, tag: 3, harmless: 3, requestId: 1, twice: 2, amount: 1 });
  ({ credential, key, tag, harmless, requestId, twice, amount })[kind](draft, random);
}

function credential(draft: Draft, random: Random): void {
  const needsCredential = !isPublic(draft.operation);
  if (random.chance(0.4)) {
    const value = random.pick([
      ...['', 'Bearer', 'Bearer ', 'Bearer  ', 'Basic YTpi', 'Bearer a b', 'bearer x', 'Bearer \u00ff', 'Bearer null'],
      ...['Bearer vsk_', 'Bearer vsk_AAAAAAAAAAAAAAAA_', `Bearer ${'a'.repeat(8_000)}`, 'Digest x', 'Bearer ../../x'],
      ...["Bearer ' or '1'='1", 'Bearer %00', 'Bearer vsk_%', 'Basic %%%', 'Basic Og==', 'Basic YQ=='],
    ]);
    draft.bearer = 'none';
    draft.headers.push(['Authorization', value]);
    recordMutation(draft, `Authorization: ${value.slice(0, 40)}`, needsCredential ? 'unauthorized' : 'any');
  } else {
    draft.bearer = random.pick<Bearer>(['none', 'limited', 'other', 'forged']);
    const isStaff = draft.operation.path.startsWith('/v1/admin/');
    const expected = draft.bearer === 'limited' && !isStaff ? 'any' : 'unauthorized';
    recordMutation(draft, `the credential: ${draft.bearer}`, needsCredential ? expected : 'any');
  }
}

function key(draft: Draft, random: Random): void {
  const [value, isRejected] = random.pick(KEYS);
  const isRead = draft.operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false;
  draft.headers.push(['Idempotency-Key', value]);
  recordMutation(draft, `Idempotency-Key: ${value.slice(0, 40)}`, isRead && isRejected ? 'rejected' : 'any');
}

function tag(draft: Draft, random: Random): void {
  const header = random.pick(['If-Match', 'If-None-Match']);
  const value = random.pick(TAGS);
  draft.headers.push([header, value]);
  recordMutation(draft, `${header}: ${value.slice(0, 40)}`);
}

function harmless(draft: Draft, random: Random): void {
  for (let left = random.between(1, 3); left > 0; left -= 1) {
    const [name, value] = random.pick(HARMLESS);
    draft.headers.push([name, value]);
    recordMutation(draft, `${name}: ${value}`);
  }
}

function requestId(draft: Draft, random: Random): void {
  const value = random.pick([
    '',
    'short',
    'x'.repeat(129),
    'a b c d e f',
    '\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff',
    "'; drop --",
  ]);
  draft.headers.push(['X-Request-Id', value]);
  recordMutation(draft, `X-Request-Id: ${value.slice(0, 40)}`);
}

function twice(draft: Draft, random: Random): void {
  const [name, value] = random.pick(ONCE);
  draft.headers.push([name, value], [name.toLowerCase(), value]);
  recordMutation(draft, `${name} twice`, 'rejected');
}

function amount(draft: Draft, random: Random): void {
  const [count, length] = random.pick<[number, number]>([
    [90, 10],
    [120, 10],
    [1, 20_000],
  ]);
  for (let n = 0; n < count; n += 1) draft.headers.push([`X-Filler-${n}`, 'f'.repeat(length)]);
  draft.also.push(431);
  recordMutation(draft, `${count} headers of ${length} bytes`);
}
