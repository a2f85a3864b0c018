import { isDeepStrictEqual } from 'node:util';
import type { WireAnswer } from './connection.js';
import { recordMutation, type Draft } from './draft.js';
import { isObject, withMember } from './json.js';
import type { Random } from './random.js';

interface Around {
  random: Random;
  unique: string;
  send: (draft: Draft) => Promise<WireAnswer | null>;
}

/** The members that a replay omits. */
const SECRETS = ['clientSecret', 'secret', 'token'];
const SECRETS_OF: Readonly<Record<string, readonly string[]>> = {
  answers_reveal: ['values'],
  travelers_reveal: ['number', 'healthNote', 'mobilityNote'],
};
/** The id of a contract opens it on the storefront, so a replay also omits the id. */
const CONTRACT_ID = /^ctr_/;

/** The same request twice with one Idempotency-Key, then another request with the key: the faults of the responses. */
export async function replay(draft: Draft, { random, unique, send }: Around): Promise<string[]> {
  const isRead = draft.operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false;
  if (!isRead || draft.mayClose || draft.bytes !== null || draft.method !== draft.operation.method) return [];
  if (draft.headers.length > 0 || draft.bearer !== 'own' || !random.chance(0.3)) return [];
  const keyed: Draft = { ...draft, headers: [['Idempotency-Key', `${unique}-key`]], mutations: [...draft.mutations] };
  recordMutation(keyed, 'with an Idempotency-Key');
  const first = await send(keyed);
  const again = await send(keyed);
  if (first === null || again === null) return [];
  if (first.status > 299) return statusFaults(first, again);
  const other = isObject(draft.body) ? withMember(draft.body, 'unknown', 1) : { unknown: 1 };
  const third = await send({ ...keyed, body: other, expected: 'any' });
  return [
    ...statusFaults(first, again),
    ...(again.headers['idempotent-replayed'] === 'true' ? [] : ['a replay without Idempotent-Replayed']),
    ...(isSame(first, again, SECRETS_OF[draft.operation.operationId])
      ? []
      : [`replayed was ${again.text}, answered first ${first.text}`]),
    ...(third === null || isReused(third) ? [] : [`another request with the same key: ${third.status}`]),
  ];
}

function statusFaults(first: WireAnswer, again: WireAnswer): string[] {
  return first.status === again.status ? [] : [`answered ${first.status} first and ${again.status} again`];
}

function isSame(first: WireAnswer, again: WireAnswer, secrets: readonly string[] = []): boolean {
  const isOmitted = (name: string, value: unknown) => secrets.includes(name) || isSecret(name, value);
  const body: unknown = JSON.parse(first.text, (name, value: unknown) => (isOmitted(name, value) ? undefined : value));
  return isDeepStrictEqual(body, JSON.parse(again.text));
}

function isSecret(name: string, value: unknown): boolean {
  return SECRETS.includes(name) || (name === 'id' && typeof value === 'string' && CONTRACT_ID.test(value));
}

/** The body is validated either after the key or before it: both reject the request. */
function isReused({ status }: WireAnswer): boolean {
  return status === 422 || status === 400;
}
