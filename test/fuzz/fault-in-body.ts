import { recordMutation, type Draft } from './draft.js';
import { faultyValue, hostileValue } from './faulty-values.js';
import { isObject, type Json, Raw, textOf, withMember, withoutMember } from './json.js';
import type { Random } from './random.js';
import { type Document, isAnything, isFree, type Schema } from './schema.js';
import { hostileName } from './texts.js';
import { validValue } from './valid-values.js';

interface Place {
  draft: Draft;
  schema: Schema;
  random: Random;
  document: Document;
}

/** Some members with other values that the document allows. */
export function otherValues({ draft, schema, random, document }: Place): void {
  const members = Object.entries(schema.properties ?? {});
  if (random.chance(0.25)) {
    draft.body = validValue({ ...schema, example: undefined }, random, document);
    recordMutation(draft, 'a body made of allowed values');
    return;
  }
  for (let left = random.between(1, 3); left > 0 && members.length > 0; left -= 1) {
    const [name, member] = random.pick(members);
    if (!isObject(draft.body)) return;
    draft.body = withMember(draft.body, name, validValue({ ...member, example: undefined }, random, document));
    recordMutation(draft, `${name}: another allowed value`);
  }
}

/** One member, at any depth, with a value that the document does not allow. */
export function faultyMember(place: Place): void {
  changeMember(place, (schema) => faultyValue(schema, place.random), 'rejected');
}

/** One member, at any depth, with a value that often causes errors. */
export function hostileMember(place: Place): void {
  const { random } = place;
  const inside = (schema: Schema) => (isFree(schema) || isAnything(schema)) && random.chance(0.7);
  const named = () => (random.chance(0.5) ? 'a' : hostileName(random));
  const valueOf = (schema: Schema) => {
    return inside(schema) ? Object.fromEntries([[named(), hostileValue(random)]]) : hostileValue(random);
  };
  changeMember(place, valueOf, 'any');
}

/** The object itself: members that are missing, unknown or repeated; no object at all. */
export function otherShape({ draft, schema, random }: Place): void {
  const body = isObject(draft.body) ? draft.body : {};
  const { required = [], additionalProperties } = schema;
  const unknown = additionalProperties === false ? 'rejected' : 'any';
  // A body of DELETE has no meaning, with any content.
  const expectation = draft.operation.method === 'DELETE' ? 'any' : 'rejected';
  const shapes: (() => void)[] = [
    () => {
      const hostile = hostileName(random);
      const name = random.pick([
        hostile,
        hostile,
        hostile,
        'unknown',
        'isAdmin',
        'version',
        'toString',
        'hasOwnProperty',
        '',
      ]);
      if (Object.hasOwn(schema.properties ?? {}, name)) return;
      draft.body = withMember(body, name, random.pick<Json>([1, null, {}, 'x']));
      recordMutation(draft, `an unknown member ${JSON.stringify(name).slice(0, 60)}`, unknown);
    },
    () => {
      draft.body = random.pick<Json>([null, [], [body], 'text', 1, true, new Raw('1e400'), '']);
      // If a body may be omitted, null is the same as none.
      recordMutation(draft, 'a body that is no object', draft.body === null ? 'any' : expectation);
    },
    () => {
      const name = random.pick(['__proto__', 'constructor', 'prototype']);
      draft.body = withMember(body, name, { isAdmin: true });
      recordMutation(draft, `a member ${name}`, expectation);
    },
    () => {
      const text = textOf(body);
      const [first = 'a'] = Object.keys(body);
      draft.bytes = Buffer.from(`{${JSON.stringify(first)}:null${text === '{}' ? '' : ','}${text.slice(1)}`);
      recordMutation(draft, `the member ${first} said twice`);
    },
    () => {
      const many = Array.from({ length: random.pick([1_000, 1_001, 60_000]) }, (_, n) => [`k${n}`, n]);
      draft.body = { ...body, ...(Object.fromEntries(many) as { [name: string]: Json }) };
      recordMutation(draft, `${many.length} unknown members`, unknown);
    },
  ];
  if (required.length > 0) {
    shapes.push(() => {
      const name = random.pick(required);
      draft.body = withoutMember(body, name);
      recordMutation(draft, `without the required ${name}`, 'rejected');
    });
  }
  random.pick(shapes)();
}

function changeMember(place: Place, valueOf: (schema: Schema) => Json | null, expected: 'rejected' | 'any'): void {
  const { draft, schema, random, document } = place;
  const members = Object.entries(schema.properties ?? {}).filter(([, member]) => !member.readOnly);
  if (members.length === 0 || !isObject(draft.body)) return;
  const [name, member] = random.pick(members);
  const found = within(document.resolve(member), draft.body[name], { random, document, valueOf });
  if (found === null) return;
  draft.body = withMember(draft.body, name, found.value);
  recordMutation(draft, `${[name, ...found.path].join('.')} = ${textOf(found.value).slice(0, 60)}`, expected);
}

interface Descent {
  random: Random;
  document: Document;
  valueOf: (schema: Schema) => Json | null;
}

/** The value with a change inside it, or another value. Null if nothing could be changed. */
function within(schema: Schema, value: Json | undefined, descent: Descent): { value: Json; path: string[] } | null {
  const { random, document, valueOf } = descent;
  const items = schema.items ? document.resolve(schema.items) : null;
  if (items && Array.isArray(value) && value.length > 0 && random.chance(0.7)) {
    const index = random.below(value.length);
    const found = within(items, value[index], descent);
    if (!found) return null;
    return { value: value.with(index, found.value), path: [String(index), ...found.path] };
  }
  const members = Object.entries(schema.properties ?? {});
  if (members.length > 0 && isObject(value) && random.chance(0.8)) {
    const [name, member] = random.pick(members);
    const found = within(document.resolve(member), value[name], descent);
    return found && { value: withMember(value, name, found.value), path: [name, ...found.path] };
  }
  const other = valueOf(schema);
  return other === null ? null : { value: other, path: [] };
}
