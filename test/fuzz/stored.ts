import type { Placed } from '../contract/served-document.js';
import type { WireAnswer } from './connection.js';
import { type Draft, draftOf } from './draft.js';
import { isObject, textOf } from './json.js';
import { type SendForJson } from './own-row.js';
import { exactLosses, losses } from './read-back.js';
import { type Document, isAnything, isFree, type Schema } from './schema.js';

interface Around {
  operations: readonly Placed[];
  document: Document;
  sendForJson: SendForJson;
}

/** Values of an accepted body that are not returned: in the response itself and in a later read of the resource. */
export async function readBack(draft: Draft, answer: WireAnswer, around: Around): Promise<string[]> {
  const { operation, body, bytes, method } = draft;
  // A command may change nothing, because it sends earlier values again. A body of DELETE has no meaning.
  const isCommand = operation.method === 'POST' && answer.status !== 201 && !operation.path.endsWith('/encrypt');
  const isKept = operation.method !== 'DELETE' && !isCommand;
  if (bytes !== null || !isObject(body) || method !== operation.method || !isKept) return [];
  const sent = JSON.parse(textOf(body)) as Record<string, unknown>;
  const answered = rowIn(answer.text === '' ? null : (JSON.parse(answer.text) as unknown));
  const read = [answered, await reading(draft, answered, around)];
  return read.flatMap((row) => (row === null ? [] : rowLosses(sent, row, { draft, document: around.document })));
}

function rowLosses(sent: Record<string, unknown>, row: Row, { draft, document }: { draft: Draft; document: Document }) {
  const members = document.bodyOf(draft.operation)?.schema.properties ?? {};
  return Object.entries(sent).flatMap(([name, value]) => {
    const schema = document.resolve(members[name] ?? {});
    if (schema.readOnly || !Object.hasOwn(row, name)) return [];
    // Documented: the service date of an item with a departure is that of the departure, regardless of the sent one.
    if (name === 'serviceDate' && row['departureId']) return [];
    const isTheirs = isFree(schema) || isAnything(schema) || name === 'plaintext';
    if (isTheirs) return exactLosses(value, row[name], name);
    return losses(withoutReadOnly(value, schema, document), row[name], name);
  });
}

/** Omits the members of list elements that the server sets. */
function withoutReadOnly(value: unknown, { items }: Schema, document: Document): unknown {
  if (!Array.isArray(value) || items === undefined) return value;
  const members = document.resolve(items).properties ?? {};
  const isSet = (name: string) => document.resolve(members[name] ?? {}).readOnly === true;
  return value.map((element: unknown) =>
    typeof element !== 'object' || element === null || Array.isArray(element)
      ? element
      : Object.fromEntries(Object.entries(element).filter(([name]) => !isSet(name))),
  );
}

/** The row as its read operation returns it, or null if there is none. */
async function reading(
  { operation, parameters }: Draft,
  answered: Row | null,
  { operations, sendForJson }: Around,
): Promise<Row | null> {
  const at = (method: string, path: string) => operations.find((one) => one.method === method && one.path === path);
  const item = operation.method === 'PATCH' ? at('GET', operation.path) : at('GET', `${operation.path}/{id}`);
  const id = answered?.['id'];
  if (item)
    return rowIn(
      await sendForJson(draftOf(item, typeof id === 'string' ? { ...parameters, id } : parameters, undefined)),
    );
  const history = operation.path.startsWith('/realtime/') ? at('GET', operation.path) : undefined;
  if (history) {
    const messages = (await sendForJson(draftOf(history, parameters, undefined))) as Row[] | null;
    return messages?.find((message) => message['id'] === id) ?? null;
  }
  const decrypt = operation.path.endsWith('/encrypt')
    ? at('POST', operation.path.replace('/encrypt', '/decrypt'))
    : undefined;
  if (!decrypt || typeof answered?.['ciphertext'] !== 'string') return null;
  return rowIn(await sendForJson(draftOf(decrypt, parameters, { ciphertext: answered['ciphertext'] })));
}

type Row = Record<string, unknown>;

function rowIn(answer: unknown): Row | null {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return null;
  const row = 'data' in answer && !('event' in answer) ? answer.data : answer;
  return typeof row === 'object' && row !== null && !Array.isArray(row) ? (row as Row) : null;
}
