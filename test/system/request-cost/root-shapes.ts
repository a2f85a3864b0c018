import { type Json, Raw, textOf } from '../../fuzz/json.js';
import { arrayOf, filled, MOST, nested, objectOf } from './texts.js';

/** A body that is being built. */
export interface Shape {
  readonly name: string;
  /** Makes the body from the example of the API document. */
  body(example: Json): Json;
}

/**
 * Bodies of this number of bytes that are hostile as a whole, independent of the schema of the operation, even if it
 * has no body. `objects`: the number of objects that may all have as many members as allowed.
 */
export function rootShapes(bytes: number, objects: number): Shape[] {
  const room = bytes - 64;
  const elements = (each: number) => Math.min(MOST.elements, Math.floor(room / each));
  const inside = (value: Json) => objectOf(1, () => `"unknown":${textOf(value)}`);
  const digits = (text: string) => text.padEnd(MOST.digits, text.at(-1));
  const shapes: Record<string, Json> = {
    'array of {}': arrayOf(elements(3), () => '{}'),
    'array of {}, unlimited': arrayOf(Math.floor(room / 3), () => '{}'),
    'array of texts': arrayOf(elements(40), (index) => `"${index}${'t'.repeat(30)}"`),
    'member with an array of {}': inside(arrayOf(elements(3), () => '{}')),
    'member with two levels of arrays': inside(
      arrayOf(Math.min(140, Math.floor(room / 450)), () => textOf(arrayOf(140, () => '{}'))),
    ),
    'as many members as allowed': objectOf(MOST.members, (index) => `"${filled('n', room / 1_100)}${index}":0`),
    '50,000 members': objectOf(Math.min(MOST.values, Math.floor(room / 12)), (index) => `"n${index}":0`),
    'as many members as allowed, in each of many objects': inside(
      arrayOf(Math.min(objects, Math.floor(room / 12_000)), () => textOf(objectOf(MOST.members, (n) => `"n${n}":0`))),
    ),
    'a duplicate behind many members': objectOf(MOST.members, (index) => `"n${(index + 1) % (MOST.members - 1)}":0`),
    'nested arrays': nested(room / 2, 'arrays'),
    'nested objects': nested(Math.floor(room / 6), 'objects'),
    'as deep as allowed, wide': inside(
      arrayOf(Math.min(660, Math.floor(room / 200)), () => textOf(nested(MOST.depth - 3, 'objects'))),
    ),
    'a literal of zeros': inside(new Raw(`1.${'0'.repeat(room - 20)}1e5`)),
    'literals as long as allowed': inside(arrayOf(Math.floor(room / 401), () => digits('0.1'))),
    'literals of zeros as long as allowed': inside(
      arrayOf(Math.floor(room / 401), () => `${digits('1.0').slice(4)}1e5`),
    ),
    'small literals': inside(arrayOf(elements(8), (index) => `${index}e-7`)),
    'a text of escapes': inside(new Raw(`"${filled('\\u0041', room - 20)}"`)),
    'a text of U+FDFA': inside(filled('\ufdfa', room - 20)),
    'a name of escapes': new Raw(`{"${filled('\\u0041', room)}":1}`),
    'white space': new Raw(`${' '.repeat(room)}{}`),
    'a text without end': new Raw(`{"unknown":"${filled('\\"', room - 20)}`),
    'invalid behind a valid start': new Raw(`{"unknown":[${filled('"t",', room - 20).slice(0, 39_000)}}`),
  };
  return Object.entries(shapes).map(([name, body]) => ({ name: `body: ${name}`, body: () => body }));
}
