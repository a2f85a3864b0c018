import { recordMutation, type Draft, pathOf } from './draft.js';
import { faultyValue } from './faulty-values.js';
import { Raw, textOf } from './json.js';
import type { Random } from './random.js';
import { type Document, type Schema } from './schema.js';
import { hostileText } from './texts.js';
import { matching, validValue } from './valid-values.js';

/** Percent-encodings that are broken, or that have another meaning when they are decoded twice. */
const BROKEN = ['%', '%z', '%zz', '%ff', '%c3%28', '%ed%a0%80', '%e0%80%af', '%u0041', '%1', 'a%'];
const UNUSUAL = [
  ...['%00', 'a%00b', '%2F', '%2f..%2f', '%5c', '%252e%252e', '%25', '%2e%2e', '%2E', '%20', '+', '%0d%0aX:1', '%0a'],
  ...['%3f', '%23', '%E2%80%AE', '%F0%9F%A7%B3', '%EF%BB%BF', '%C2%A0', ':id', '*', '(', ')', '!', "'", '"', '|', '^'],
  ...[
    'null',
    'undefined',
    'NaN',
    '0',
    '-1',
    '1e3',
    '[object%20Object]',
    '__proto__',
    'constructor',
    '~',
    '{id}',
    ';a=b',
  ],
  ...['%27%20or%201=1--', '1%3Bselect%20pg_sleep(9)', '%3Cscript%3E', '\u00ff\u00fe', 'é'],
];

/** One path parameter. */
export function faultInPath(draft: Draft, random: Random): void {
  const names = Object.keys(draft.parameters);
  if (names.length === 0 || random.chance(0.15)) return otherPath(draft, random);
  const name = random.pick(names);
  const schema = draft.operation.parameters?.find((parameter) => parameter.in === 'path' && parameter.name === name);
  const { pattern, maxLength = 100 } = schema?.schema ?? {};
  const valid = draft.parameters[name] ?? '';
  const kind = random.weighted({ broken: 3, odd: 5, grammar: 3, near: 3, long: 1, hostile: 2 });
  draft.parameters[name] = {
    broken: () => random.pick(BROKEN),
    odd: () => random.pick(UNUSUAL),
    grammar: () =>
      encodeURIComponent(matching(pattern ?? '^[a-z]{2,5}_[0-7][0-9a-hjkmnp-tv-z]{25}$', maxLength, random)),
    near: () => random.pick([valid.toUpperCase(), `${valid}0`, valid.slice(0, -1), ` ${valid}`, `%${hexOf(valid)}`]),
    long: () => 'a'.repeat(random.pick([maxLength, maxLength + 1, 5_000])),
    hostile: () => encodeURIComponent(hostileText(random).toWellFormed().slice(0, 500)),
  }[kind]();
  // An empty segment or a slash makes another path; in any case it is not an id.
  recordMutation(
    draft,
    `the path's ${name} = ${draft.parameters[name].slice(0, 60)}`,
    kind === 'broken' ? 'rejected' : 'any',
  );
}

function otherPath(draft: Draft, random: Random): void {
  const path = pathOf(draft);
  const paths = [
    `/${path}`,
    `${path}/`,
    `${path}//`,
    path.toUpperCase(),
    path.replace('/v1/', '//v1//'),
    path.replace('/v1/', '/./v1/'),
    path.replace('/v1/', '/x/../v1/'),
    path.replace('/v1/', '/%2e%2e/v1/'),
    path.replace('/v1/', '/v1%2F'),
    `${path}/unknown`,
    `${path}.json`,
    `${path};a=b`,
    `${path}%00`,
    `${path}%zz`,
    `${path}\u00ff`,
    path.replace('/v1/', '/v2/'),
    path.replace(/\/[^/]*$/, ''),
    `${path}/${'a/'.repeat(300)}`,
  ];
  draft.target = random.pick(paths);
  recordMutation(draft, `the path ${draft.target.slice(0, 80)}`);
}

/** One or a few query parameters, of the operation or unknown. */
export function faultInQuery(draft: Draft, random: Random, document: Document): void {
  const known = (draft.operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const kind = random.weighted({ valid: known.length ? 5 : 0, faulty: known.length ? 5 : 0, hostile: 3, shape: 4 });
  if (kind === 'shape') return otherQuery(draft, random, known[0]?.name ?? 'limit');
  if (kind === 'hostile') {
    const name = known.length > 0 && random.chance(0.8) ? random.pick(known).name : 'unknown';
    draft.query.push([name, encodeURIComponent(hostileText(random).toWellFormed().slice(0, 3_000))]);
    const isFault = name === 'unknown' && !draft.operation.path.startsWith('/v1/public/');
    recordMutation(draft, `the query's ${name}: a hostile text`, isFault ? 'rejected' : 'any');
    return;
  }
  const chosen = kind === 'faulty' ? [random.pick(known)] : known.filter(() => random.chance(0.4));
  for (const { name, schema } of chosen) {
    const text = kind === 'faulty' ? faultyQueryText(schema, random) : queryText(schema, random, document);
    if (text === null) continue;
    draft.query.push([name, encodeURIComponent(text)]);
    recordMutation(draft, `the query's ${name} = ${text.slice(0, 60)}`, kind === 'faulty' ? 'rejected' : 'any');
  }
}

function queryText(schema: Schema, random: Random, document: Document): string {
  const value = validValue(schema, random, document);
  return typeof value === 'string' ? value : textOf(value);
}

/** In a query everything is text: invalid texts, digits of numbers and words of flags. */
function faultyQueryText(schema: Schema, random: Random): string | null {
  const value = faultyValue(schema, random);
  if (value instanceof Raw) return schema.type === 'integer' ? value.text : null;
  if (schema.type === 'integer') {
    return random.pick(['', ' ', '1.0', '0x1', '1e1', '+1', 'NaN', '-', '٣', '99999999999999999999', 'a', 'true']);
  }
  if (schema.type === 'boolean') return random.pick(['', '1', 'TRUE', 'yes', 'null', 'truefalse']);
  return typeof value === 'string' ? value : null;
}

/** Rejected on every surface, or only if unknown parameters are a fault: the storefront ignores them. */
const BROKEN_QUERIES = ['?=%', '?=%zz', '?=%ff', '%ff=1', '?=%ED%A0%80', '?=%u0041', 'a=1&'.repeat(101), '?=%C3%28'];
const UNKNOWN_QUERIES = [
  ...['?=1&?=2', 'unknown=1', 'access_token=abc', '?[]=1', '?[a]=1', '?[__proto__]=1', '__proto__[x]=1', '__proto__=1'],
  ...['constructor.prototype=1', 'toString=1', '?=%00', '??=1', `unknown=${'a'.repeat(6_000)}`],
];
const UNUSUAL_QUERIES = [
  // A semicolon separates no parameters: it is part of the value, which a text may contain.
  ...[
    '?=1;drop=2',
    '?',
    '?=',
    '=1',
    '&&&',
    '?=1#fragment',
    '?=1+1',
    '?=\u00ff',
    'sort=name%3Bdrop%20table',
    'sort=constructor',
  ],
  ...['cursor=eyJ2IjoxfQ', `cursor=${'A'.repeat(500)}`, 'cursor=%F0%9F%A7%B3'],
  ...[`search=${'%25'.repeat(80)}`, 'search=%5C'],
];

/** A query as a whole; a question mark is replaced by the name of a parameter. */
function otherQuery(draft: Draft, random: Random, name: string): void {
  const kind = random.weighted({ broken: 3, unknown: 4, odd: 4 });
  const isLenient = draft.operation.path.startsWith('/v1/public/');
  const query = random.pick({ broken: BROKEN_QUERIES, unknown: UNKNOWN_QUERIES, odd: UNUSUAL_QUERIES }[kind]);
  draft.rawQuery = query.replace(/^\?(?=.|$)/, name).replaceAll('&?', `&${name}`);
  const isRejected = kind === 'broken' || (kind === 'unknown' && !isLenient);
  recordMutation(draft, `the query ${draft.rawQuery.slice(0, 60)}`, isRejected ? 'rejected' : 'any');
}

function hexOf(text: string): string {
  return text.charCodeAt(0).toString(16).padStart(2, '0') + text.slice(1);
}
