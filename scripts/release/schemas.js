// @ts-check

/**
 * An object of JSON.
 * @typedef {Record<string, any>} Json
 */

/**
 * Values that a client sends must stay accepted (`request`), and values that it receives must stay the same (`response`). The
 * code of an `error` may be a new one.
 * @typedef {'request' | 'response' | 'error'} Direction
 */

/** @typedef {{ direction: Direction, place: string, path: string }} Place */

/** Values that apply without the keyword. */
const UPPER = { maxLength: Infinity, maxItems: Infinity, maxProperties: Infinity, maximum: Infinity };
const LOWER = { minLength: 0, minItems: 0, minProperties: 0, minimum: -Infinity };
const EXCLUSIVE = { exclusiveMaximum: Infinity, exclusiveMinimum: -Infinity };

/** Compares the schemas of two API documents. Compares each pair once per direction, even if schemas contain themselves. */
export class SchemaComparison {
  /** @param {Json} before @param {Json} after the documents, for their references */
  constructor(before, after) {
    this.before = new FlatSchemas(before);
    this.after = new FlatSchemas(after);
    /** @type {Record<Direction, WeakMap<object, WeakSet<object>>>} */
    this.compared = { request: new WeakMap(), response: new WeakMap(), error: new WeakMap() };
  }

  /**
   * @param {Json | undefined} before
   * @param {Json | undefined} after
   * @param {Place} at
   * @returns {Iterable<string>}
   */
  *changes(before, after, at) {
    const was = this.before.of(before ?? {});
    const is = this.after.of(after ?? {});
    if (this.isCompared(was, is, at.direction)) return;
    const say = (/** @type {string} */ sentence) => `${at.place}: ${at.path}: ${sentence}`;
    const own = [
      ...typeChanges(was, is, at),
      ...(at.direction === 'request' ? narrowings(was, is) : widenings(was, is, at)),
    ];
    yield* own.map(say);
    yield* alternativeChanges(was, is, at).map(say);
    yield* propertyChanges(was, is, at).map(say);
    yield* this.members(was, is, at);
  }

  /** @param {Json} was @param {Json} is @param {Place} at @returns {Iterable<string>} */
  *members(was, is, at) {
    const inside = (/** @type {string} */ name) => ({ ...at, path: `${at.path}${name}` });
    for (const [name, schema] of Object.entries(was['properties'] ?? {})) {
      const other = is['properties']?.[name];
      if (other) yield* this.changes(schema, other, inside(member(name)));
    }
    if (isList(was) && isList(is)) yield* this.changes(was['items'], is['items'], inside('[*]'));
    const [others, othersNow] = [othersOf(was), othersOf(is)];
    if (others && othersNow) yield* this.changes(others, othersNow, inside('.*'));
    for (const keyword of ['oneOf', 'anyOf']) {
      const now = byLabel(is[keyword]);
      for (const [label, alternative] of byLabel(was[keyword])) {
        const other = now.get(label);
        if (other) yield* this.changes(alternative, other, inside(`(${label})`));
      }
    }
  }

  /** @param {Json} was @param {Json} is @param {Direction} direction */
  isCompared(was, is, direction) {
    const pairs = this.compared[direction];
    const others = pairs.get(was) ?? new WeakSet();
    pairs.set(was, others);
    const known = others.has(is);
    others.add(is);
    return known;
  }
}

/** The schemas of a document without `$ref` and `allOf`. */
class FlatSchemas {
  /** @param {Json} document */
  constructor(document) {
    this.document = document;
    /** @type {WeakMap<object, Json>} */
    this.known = new WeakMap();
  }

  /** @param {Json} schema @returns {Json} */
  of(schema) {
    const known = this.known.get(schema);
    if (known) return known;
    const { $ref: reference, allOf = [], ...own } = schema;
    // A schema that contains itself in `allOf` adds nothing.
    this.known.set(schema, own);
    const parts = [...(reference ? [target(reference, this.document)] : []), ...allOf].map((part) => this.of(part));
    const isReference = parts.length === 1 && Object.keys(own).every((keyword) => TEXTS.includes(keyword));
    const flat = isReference ? /** @type {Json} */ (parts[0]) : merged([...parts, own]);
    this.known.set(schema, flat);
    return flat;
  }
}

const TEXTS = ['title', 'description', 'example', 'examples', 'deprecated', 'externalDocs'];

/** @param {Json[]} parts @returns {Json} */
function merged(parts) {
  if (parts.length === 1) return parts[0] ?? {};
  const properties = together(parts.flatMap((part) => Object.entries(part['properties'] ?? {})));
  const required = [...new Set(parts.flatMap((part) => part['required'] ?? []))];
  return {
    ...Object.assign({}, ...parts),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** A property that several parts have must fulfil all of them. @param {[string, Json][]} properties @returns {Json} */
function together(properties) {
  /** @type {Json} */
  const all = {};
  for (const [name, schema] of properties) all[name] = all[name] ? { allOf: [all[name], schema] } : schema;
  return all;
}

/** @param {Json} was @param {Json} is @param {Place} at @returns {string[]} */
function typeChanges(was, is, { direction }) {
  const [before, after] = [typesOf(was), typesOf(is)];
  const [sent, accepted] = direction === 'request' ? [before, after] : [after, before];
  if (accepted === null) return [];
  const other = sent?.filter((type) => !isAmong(type, accepted)) ?? ['any'];
  if (other.length === 0) return [];
  if (other.join() === 'null') return [direction === 'request' ? 'null is no longer accepted' : 'it may now be null'];
  return [`the type ${before?.join(' or ') ?? 'any'} became ${after?.join(' or ') ?? 'any'}`];
}

/** Returns null for any type. @param {Json} schema @returns {string[] | null} */
function typesOf({ type, nullable }) {
  if (type === undefined) return null;
  const listed = [type].flat();
  return nullable && !listed.includes('null') ? [...listed, 'null'] : listed;
}

/** @param {string} type @param {readonly string[]} types */
function isAmong(type, types) {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

/** Values that were accepted and no longer are. @param {Json} was @param {Json} is @returns {string[]} */
function narrowings(was, is) {
  const [values, valuesNow] = [valuesOf(was), valuesOf(is)];
  return [
    ...(valuesNow && !values ? [`only the values ${list(valuesNow)} are accepted now`] : []),
    ...(valuesNow && values
      ? absent(values, valuesNow).map((value) => `the value ${value} is no longer accepted`)
      : []),
    ...limits(was, is),
    ...['pattern', 'format']
      .filter((keyword) => is[keyword] !== undefined && is[keyword] !== was[keyword])
      .map((keyword) => changed(keyword, was, is)),
    ...(is['uniqueItems'] && !was['uniqueItems'] ? ['duplicate items are no longer accepted'] : []),
    ...(isCoarser(was['multipleOf'], is['multipleOf'])
      ? [`only multiples of ${is['multipleOf']} are accepted now`]
      : []),
    ...(differs(was['not'], is['not']) ? ['the values that are not accepted changed'] : []),
    ...(differs(was['default'], is['default'])
      ? [`the default ${text(was['default'])} became ${text(is['default'])}`]
      : []),
  ];
}

/** Lengths and ranges that became narrower. @param {Json} was @param {Json} is @returns {string[]} */
function limits(was, is) {
  const narrower = [
    ...Object.entries(UPPER).filter(([keyword, none]) => (is[keyword] ?? none) < (was[keyword] ?? none)),
    ...Object.entries(LOWER).filter(([keyword, none]) => (is[keyword] ?? none) > (was[keyword] ?? none)),
    ...Object.entries(EXCLUSIVE).filter(([keyword, none]) => {
      const [before, after] = [was[keyword] ?? none, is[keyword] ?? none];
      // In OpenAPI 3.0, whether `maximum` itself is excluded.
      if (typeof is[keyword] === 'boolean') return is[keyword] && was[keyword] !== true;
      return keyword === 'exclusiveMaximum' ? after < before : after > before;
    }),
  ];
  return narrower.map(([keyword]) => changed(keyword, was, is));
}

/** @param {string} keyword @param {Json} was @param {Json} is */
function changed(keyword, { [keyword]: before }, { [keyword]: after }) {
  return before === undefined ? `${keyword} ${after} was added` : `${keyword} ${before} became ${after}`;
}

/** Values that a client may now get for the first time. @param {Json} was @param {Json} is @param {Place} at @returns {string[]} */
function widenings(was, is, { direction }) {
  const [values, valuesNow] = [valuesOf(was), valuesOf(is)];
  const format = was['format'] !== undefined && is['format'] !== was['format'];
  const ownFormat = format ? [`the format ${was['format']} became ${is['format'] ?? 'any'}`] : [];
  if (!values) return ownFormat;
  if (direction === 'error') {
    if (!valuesNow) return [...ownFormat, `the codes ${list(values)} are no longer listed`];
    return [...ownFormat, ...absent(values, valuesNow).map((value) => `the code ${value} was removed`)];
  }
  if (was['x-extensible']) return ownFormat;
  if (is['x-extensible']) return [...ownFormat, 'values may be added from now on'];
  if (!valuesNow) return [...ownFormat, `other values than ${list(values)} are possible now`];
  return [...ownFormat, ...absent(valuesNow, values).map((value) => `the value ${value} was added`)];
}

/** @param {Json} was @param {Json} is @param {Place} at @returns {string[]} */
function propertyChanges(was, is, { direction }) {
  const [before, after] = [was['properties'] ?? {}, is['properties'] ?? {}];
  const [required, requiredNow] = [was['required'] ?? [], is['required'] ?? []];
  const removed = Object.keys(before)
    .filter((name) => !(name in after))
    .map((name) => `the property ${name} was removed`);
  if (direction !== 'request') {
    const optional = required.filter((/** @type {string} */ name) => name in after && !requiredNow.includes(name));
    return [...removed, ...optional.map((/** @type {string} */ name) => `the property ${name} may now be absent`)];
  }
  const demanded = absent(requiredNow, required).map((name) =>
    name in before ? `the property ${name} is now required` : `the property ${name} was added and is required`,
  );
  const isClosed = is['additionalProperties'] === false && was['additionalProperties'] !== false;
  return [...removed, ...demanded, ...(isClosed ? ['other properties are no longer accepted'] : [])];
}

/** @param {Json} was @param {Json} is @param {Place} at @returns {string[]} */
function alternativeChanges(was, is, { direction }) {
  return ['oneOf', 'anyOf'].flatMap((keyword) => {
    const [before, after] = [byLabel(was[keyword]), byLabel(is[keyword])];
    if ((before.size === 0) !== (after.size === 0)) return [`${keyword} was ${after.size === 0 ? 'removed' : 'added'}`];
    return direction === 'request'
      ? absent([...before.keys()], [...after.keys()]).map((label) => `the form ${label} is no longer accepted`)
      : absent([...after.keys()], [...before.keys()]).map((label) => `the form ${label} was added`);
  });
}

/** Maps alternatives by the name of their schema, otherwise by their title or number. @param {Json[]} [alternatives] */
function byLabel(alternatives = []) {
  return new Map(
    alternatives.map((each, index) => [String(each['$ref']?.split('/').pop() ?? each['title'] ?? index + 1), each]),
  );
}

/** @param {Json} schema @returns {unknown[] | undefined} */
function valuesOf(schema) {
  return schema['enum'] ?? ('const' in schema ? [schema['const']] : undefined);
}

/**
 * Returns the values that only the first list contains. @param {unknown[]} list @param {unknown[]} other @returns {string[]}
 */
function absent(list, other) {
  return list.filter((value) => value !== null && !other.includes(value)).map(String);
}

/** @param {unknown[]} values */
function list(values) {
  return values.map(String).join(', ');
}

/** @param {number | undefined} was @param {number | undefined} is */
function isCoarser(was, is) {
  return is !== undefined && (was === undefined || was % is !== 0);
}

/** @param {unknown} was @param {unknown} is */
function differs(was, is) {
  return JSON.stringify(was) !== JSON.stringify(is);
}

/** @param {unknown} value */
function text(value) {
  return JSON.stringify(value) ?? 'none';
}

/** @param {Json} schema */
function isList(schema) {
  return schema['items'] !== undefined || (typesOf(schema)?.includes('array') ?? false);
}

/** Returns the schema of additional properties; null if there are none. @param {Json} schema @returns {Json | null} */
function othersOf(schema) {
  const others = schema['additionalProperties'] ?? (typesOf(schema)?.includes('object') ? true : false);
  return others === true ? {} : others || null;
}

/** Formats a name for a JSON path. @param {string} name */
function member(name) {
  return /^\w+$/.test(name) ? `.${name}` : `['${name}']`;
}

/** Resolves a local reference. @param {string} reference @param {Json} document @returns {Json} */
export function target(reference, document) {
  const names = reference.slice(2).split('/');
  const found = names.reduce(
    (part, name) => part?.[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    /** @type {Json | undefined} */ (document),
  );
  if (!found) throw new Error(`The API document has no ${reference}`);
  return found;
}
