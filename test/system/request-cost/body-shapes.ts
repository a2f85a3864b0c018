import { gzipSync } from 'node:zlib';
import type { Placed } from '../../contract/served-document.js';
import { type Draft, draftOf, isPublic } from '../../fuzz/draft.js';
import { exampleBody, exampleParameters } from '../../fuzz/example.js';
import { isObject, type Json, Raw, textOf } from '../../fuzz/json.js';
import type { Document } from '../../fuzz/schema.js';
import type { RequestCase } from './cost-meter.js';
import { isFreeForm, largestValue, type Member, membersOf, valueAt, withValueAt } from './members.js';
import { rootShapes, type Shape } from './root-shapes.js';
import type { Secrets } from './secret-members.js';
import { arrayOf, filled, GROWING, MOST, nearMisses, nested, objectOf } from './texts.js';

const KIB = 1024;

export type Encoding = 'plain' | 'gzip' | 'chunked';
/** The parser reads these bodies alike for all operations of a kind. */
const ONE_IN = 5;
const ENCODINGS: readonly Encoding[] = ['plain', 'gzip', 'chunked'];

interface Around {
  document: Document;
  secrets: Secrets;
}

/**
 * The requests of one operation with hostile bodies. Shapes that do not depend on the operation are all sent to the
 * first of a kind, and one in `ONE_IN` to each other; each shape in one of the encodings in turn. `all`: every shape in
 * every encoding.
 */
export function bodyCases(
  operation: Placed,
  around: Around,
  { turn, isFirst, all }: { turn: number; isFirst: boolean; all: boolean },
): RequestCase[] {
  if (operation.method === 'GET') return [];
  const bytes = mostBytes(operation);
  const objects = mostObjects(operation);
  const shapes = [
    ...rootShapes(bytes, objects).filter((_, index) => all || isFirst || index % ONE_IN === turn % ONE_IN),
    ...memberShapes(operation, around.document, {
      room: bytes - Math.min(bytes / 2, 16 * KIB),
      objects,
      turn,
      all,
    }),
  ];
  return shapes.flatMap((shape, index) => {
    const encodings = ENCODINGS.filter((_, encoding) => all || encoding === (index + turn) % ENCODINGS.length);
    return encodings.map((encoding) => bodyCase(operation, around, { shape, encoding }));
  });
}

function bodyCase(
  operation: Placed,
  { document, secrets }: Around,
  { shape, encoding }: { shape: Shape; encoding: Encoding },
): RequestCase {
  return {
    operation: operation.operationId,
    shape: encoding === 'plain' ? shape.name : `${shape.name}, ${encoding}`,
    draft: (unique) => {
      const shown = exampleBody(operation, document, unique) ?? {};
      const example = isObject(shown) ? { ...shown, ...secrets[operation.operationId] } : shown;
      return withText(
        draftOf(operation, exampleParameters(operation), undefined),
        textOf(shape.body(example)),
        encoding,
      );
    },
  };
}

/** The name of a shape in any of the encodings. */
export function withoutEncoding(shape: string): string {
  return shape.replace(/, (gzip|chunked)$/, '');
}

export function withText(draft: Draft, text: string, encoding: Encoding): Draft {
  if (encoding === 'gzip') draft.headers.push(['Content-Encoding', 'gzip']);
  return Object.assign(draft, {
    bytes: encoding === 'gzip' ? gzipSync(text, { level: 1 }) : Buffer.from(text),
    isChunked: encoding === 'chunked',
  });
}

/** The largest body that the operation reads. */
function mostBytes(operation: Placed): number {
  if (operation.path === '/v1/public/catalog/search') return 64 * KIB;
  if (operation.path.startsWith('/vault/')) return 512 * KIB;
  return isPublic(operation) ? 16 * KIB : 1024 * KIB;
}

/** How many objects may have as many members as allowed (`values` in json-scan.ts). */
function mostObjects({ path }: Placed): number {
  return path.startsWith('/realtime/') || path.startsWith('/connect/v1/connector-providers/') ? 49 : 24;
}

/**
 * Hostile values in place of the lists, texts, numbers and free objects of the operation's own schema; each text in one
 * of its shapes in turn, or in all.
 */
function memberShapes(
  operation: Placed,
  document: Document,
  { room, objects, turn, all }: { room: number; objects: number; turn: number; all: boolean },
): Shape[] {
  const schema = document.bodyOf(operation)?.schema;
  if (!schema) return [];
  const members = membersOf(schema, document);
  const lists = members.filter((member) => member.schema.type === 'array');
  const texts = members.filter((member) => member.schema.type === 'string' && !member.schema.enum);
  const numbers = members.filter(({ schema: { type } }) => type === 'integer' || type === 'number');
  const free = members.filter((member) => isFreeForm(member.schema));
  const largest = (name: string, unit: string): Shape => ({
    name: `everything as large as allowed, of ${name}`,
    body: () => largestValue(schema, { document, bytes: room, unit }),
  });
  return [
    ...lists.flatMap((member) => listShapes(member, room)),
    ...texts.flatMap((member, index) =>
      textShapes(member, room).filter((_, shape, { length }) => all || shape === (index + turn) % length),
    ),
    ...free.flatMap((member) => freeShapes(member, room, objects)),
    allAt(lists, 'lists of {}', () => arrayOf(Math.floor(MOST.structures / (lists.length * 2)), () => '{}')),
    allAt(numbers, 'numbers: a literal of zeros', () => new Raw(`1.${'0'.repeat(390)}1e5`)),
    ...Object.entries(GROWING).map(([name, unit]) =>
      allAt(texts, `texts of ${name}`, (member) => longest(unit, member)),
    ),
    allAt(texts, 'texts nearly matching', nearMissWithin),
    largest('letters', 'x'),
    largest('U+FDFA', '\ufdfa'),
  ];
}

function listShapes(list: Member, room: number): Shape[] {
  const { maxItems = 10 } = list.schema;
  const count = (bytesEach: number) => Math.min(MOST.elements, Math.floor(room / bytesEach));
  const first = (example: Json) => ((valueAt(example, list.place) ?? []) as Json[])[0] ?? {};
  return [
    at(list, 'array of {}', () => arrayOf(count(3), () => '{}')),
    at(list, 'array of texts', () => arrayOf(count(80), (index) => `"connect:a${index}:${'r'.repeat(60)}"`)),
    at(list, 'array of numbers', () => arrayOf(count(6), String)),
    at(list, 'array of arrays', () => arrayOf(count(3), () => '[]')),
    at(list, 'as many {} as allowed', () => arrayOf(maxItems, () => '{}')),
    at(list, 'as many of the example as allowed', (example) => {
      const element = textOf(first(example));
      return arrayOf(Math.min(maxItems, Math.floor(room / element.length)), () => element);
    }),
    at(list, 'more of the example than allowed', (example) =>
      arrayOf(count(textOf(first(example)).length + 1), () => textOf(first(example))),
    ),
  ];
}

/** Longer than any text may be: it must not reach a pattern. */
function textShapes(text: Member, room: number): Shape[] {
  const near = nearMisses(text.schema, room - 64);
  if (near.length === 0) return [at(text, 'a long text of U+FDFA', () => filled('\ufdfa', room))];
  return near.map((value, index) => at(text, `a long text, nearly matching (${index + 1})`, () => value));
}

function freeShapes(object: Member, room: number, mostObjects: number): Shape[] {
  const objects = Math.min(mostObjects, Math.floor(room / 10_000));
  return [
    at(object, 'array of {}', () => arrayOf(Math.min(MOST.elements, Math.floor(room / 3)), () => '{}')),
    at(object, 'as many members as allowed', () =>
      objectOf(MOST.members, (index) => `"n${index}":"${'v'.repeat(10)}"`),
    ),
    at(object, 'members with as many members', () =>
      objectOf(objects, (n) => `"m${n}":${textOf(objectOf(MOST.members, (index) => `"n${index}":0`))}`),
    ),
    at(object, 'as deep as allowed', () => nested(MOST.depth - 3, 'objects')),
    at(object, 'five deep', () => nested(4, 'objects')),
    at(object, 'texts of U+FDFA', () => objectOf(30, (index) => `"n${index}":"${filled('\ufdfa', 480)}"`)),
    at(object, 'a long text of U+FDFA', () => ({ a: filled('\ufdfa', room) })),
    at(object, 'literals as long as allowed', () => objectOf(30, (index) => `"n${index}":0.${'1'.repeat(397)}`)),
  ];
}

function at({ place }: Member, name: string, value: (example: Json) => Json): Shape {
  return { name: `${place.join('.')}: ${name}`, body: (example) => withValueAt(example, place, value(example)) };
}

function allAt(members: readonly Member[], name: string, value: (member: Member) => Json): Shape {
  return {
    name: `all ${name}`,
    body: (example) => members.reduce((body, member) => withValueAt(body, member.place, value(member)), example),
  };
}

/** The number of characters that the member may have. */
function longest(unit: string, { schema: { maxLength = 100 } }: Member): string {
  return [...filled(unit, 4 * maxLength)].slice(0, maxLength).join('');
}

function nearMissWithin(member: Member): string {
  return nearMisses(member.schema, (member.schema.maxLength ?? 100) - 2)[0] ?? longest('%', member);
}
