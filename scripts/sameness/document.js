// @ts-check

/**
 * An object of JSON.
 * @typedef {Record<string, any>} Json
 */

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/** Members whose own members are names (of a property, a header, a status), not keywords of OpenAPI. */
const NAMED = [
  ...['properties', 'patternProperties', 'schemas', 'securitySchemes', 'responses', 'headers', 'content'],
  ...['callbacks', 'encoding', 'mapping', 'variables', 'dependentRequired', 'dependentSchemas', 'links'],
];

const TEXTS = ['summary', 'description', 'example', 'examples', 'externalDocs', 'x-tagGroups'];

/** Lists without an order. */
const SETS = ['required', 'enum', 'tags', 'type'];

/** Components that are only shorthands. The names of schemas are part of generated clients. */
const SHORTHAND = /^#\/components\/(responses|parameters|headers|requestBodies)\//;

const LISTED_APART = ['x-required-scope', 'x-ledger-action'];

/**
 * Returns the promises of an API document without its texts: each operation with its parameters, bodies and responses, each
 * schema, and separate lists of the error codes, scopes and ledger actions of each operation.
 * @param {Json} document
 * @returns {Json}
 */
export function summaryOf(document) {
  const summary = emptySummary();
  for (const { call, operation } of operationsIn(document)) {
    const { responses = {}, ...rest } = resolved(operation, document);
    summary['scopes'][call] = scopesOf(operation);
    summary['ledger actions'][call] = [operation['x-ledger-action'] ?? 'none'];
    summary['error codes'][call] = errorCodesIn(responses, document);
    summary['operations'][call] = { ...withoutTexts(rest), responses: withoutTexts(withoutCodes(responses), true) };
  }
  summary['schemas'] = withoutTexts(document['components']?.schemas ?? {}, true);
  summary['security schemes'] = withoutTexts(document['components']?.securitySchemes ?? {}, true);
  summary['security schemes'] = withoutScopes(summary['security schemes']);
  return summary;
}

/** @returns {Json} */
function emptySummary() {
  return { scopes: {}, 'ledger actions': {}, 'error codes': {}, operations: {} };
}

/** @param {Json} document */
function operationsIn({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const parameters = [...(item.parameters ?? []), ...(item[method].parameters ?? [])];
      return { call: `${method.toUpperCase()} ${path}`, operation: { ...item[method], parameters } };
    }),
  );
}

/** @param {Json} operation */
function scopesOf(operation) {
  const schemes = (operation['security'] ?? []).map((/** @type {Json} */ needed) =>
    Object.entries(needed).map(([scheme, scopes]) => [`credential ${scheme}`, ...scopes].join(' ')),
  );
  return [operation['x-required-scope'] ?? 'no scope', ...schemes.flat()].sort();
}

/** The codes of each error status. @param {Json} responses @param {Json} document */
function errorCodesIn(responses, document) {
  return Object.entries(responses)
    .filter(([status]) => isError(status))
    .flatMap(([status, { content = {} }]) => {
      const schemas = Object.values(content).map(({ schema }) => schema);
      const codes = [...new Set(schemas.flatMap((schema) => codesIn(schema, document)))];
      return codes.length > 0 ? codes.map((code) => `${status} ${code}`) : [`${status} without a code`];
    })
    .sort();
}

/** @param {string} status */
function isError(status) {
  return Number(status) >= 400;
}

/** @param {Json | undefined} schema @param {Json} document @returns {string[]} */
function codesIn(schema, document) {
  if (!schema) return [];
  if (schema['$ref']) return codesIn(target(schema['$ref'], document), document);
  const { code } = schema['properties'] ?? {};
  const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((word) => schema[word] ?? []);
  return [...listed(code), ...parts.flatMap((part) => codesIn(part, document))];
}

/** @param {Json | undefined} code @returns {string[]} */
function listed(code) {
  return code?.['enum'] ?? (code?.['const'] ? [code['const']] : []);
}

/** The responses without the codes that `errorCodesIn` lists. @param {Json} responses */
function withoutCodes(responses) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      if (!isError(status)) return [status, response];
      const text = JSON.stringify(response);
      return [status, JSON.parse(text, (key, value) => (key === 'code' && value?.enum ? { type: value.type } : value))];
    }),
  );
}

/** Replaces each reference to a shorthand by its component. @param {any} value @param {Json} document @returns {any} */
function resolved(value, document) {
  if (Array.isArray(value)) return value.map((each) => resolved(each, document));
  if (value === null || typeof value !== 'object') return value;
  if (SHORTHAND.test(value.$ref)) return resolved(target(value.$ref, document), document);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each, document)]));
}

/** @param {string} reference @param {Json} document @returns {Json} */
function target(reference, document) {
  const names = reference.slice(2).split('/');
  return names.reduce((found, name) => found?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], document) ?? {};
}

/** @param {any} value @param {boolean} [isNamed] whether the members are names @returns {any} */
function withoutTexts(value, isNamed = false) {
  if (Array.isArray(value)) return value.map((each) => withoutTexts(each));
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([key, each]) => isNamed || !isText(key, each));
  const members = kept.map(([key, each]) => [key, memberOf(key, each, isNamed)]);
  return withoutWrapper(Object.fromEntries(members));
}

/** @param {string} key @param {any} value */
function isText(key, value) {
  return TEXTS.includes(key) || LISTED_APART.includes(key) || key === 'security' || isTitle(key, value);
}

/** @param {string} key @param {any} value */
function isTitle(key, value) {
  return key === 'title' && typeof value === 'string';
}

/** @param {string} key @param {any} value @param {boolean} isNamed */
function memberOf(key, value, isNamed) {
  if (isNamed) return withoutTexts(value);
  if (key === 'parameters' && Array.isArray(value)) return byName(value);
  if (SETS.includes(key) && Array.isArray(value)) return [...value].sort();
  return withoutTexts(value, NAMED.includes(key));
}

/** @param {Json[]} parameters */
function byName(parameters) {
  return Object.fromEntries(parameters.map((each) => [`${each['in']} ${each['name']}`, withoutTexts(each)]));
}

/** A reference with its own description is wrapped in `allOf`; without the description, only the reference remains. */
function withoutWrapper(/** @type {Json} */ schema) {
  const isWrapper = Object.keys(schema).length === 1 && schema['allOf']?.length === 1;
  return isWrapper ? schema['allOf'][0] : schema;
}

/** The scopes of an OAuth scheme are names, their descriptions are texts. @param {Json} schemes @returns {Json} */
function withoutScopes(schemes) {
  return JSON.parse(JSON.stringify(schemes), (key, value) =>
    key === 'scopes' && value && !Array.isArray(value) ? Object.keys(value).sort() : value,
  );
}
