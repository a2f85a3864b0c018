// @ts-check
import { SchemaComparison, target } from './schemas.js';

/**
 * An object of JSON.
 * @typedef {import('./schemas.js').Json} Json
 * @typedef {import('./schemas.js').Place} Place
 */

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/**
 * Returns the changes from one API document (OpenAPI 3.0 or 3.1) to the next that can break a client, one sentence with a JSON
 * path each; docs/versioning.md says which changes are compatible. A change of a shared component is reported once, at its
 * first use.
 * @param {Json} before
 * @param {Json} after
 * @returns {string[]}
 */
export function breakingChanges(before, after) {
  return [...new Set(new DocumentComparison(before, after).changes())];
}

class DocumentComparison {
  /** @param {Json} before @param {Json} after */
  constructor(before, after) {
    this.before = before;
    this.after = after;
    this.schemas = new SchemaComparison(before, after);
    /** @type {WeakMap<object, WeakSet<object>>} */
    this.compared = new WeakMap();
  }

  /** @returns {Iterable<string>} */
  *changes() {
    const after = operationsIn(this.after);
    for (const [call, was] of operationsIn(this.before)) {
      const is = after.get(call);
      if (is) yield* this.operation(call, was, is);
      else yield `${call}: the operation was removed${sunsetOf(was)}`;
    }
    yield* this.securitySchemes();
    const urls = serversOf(this.after);
    for (const url of serversOf(this.before)) if (!urls.includes(url)) yield `The server ${url} was removed`;
  }

  /** @param {string} call @param {Json} was @param {Json} is */
  *operation(call, was, is) {
    if (was['operationId'] !== is['operationId']) {
      yield `${call}: the operationId ${was['operationId']} became ${is['operationId']}, which renames the call in generated clients`;
    }
    yield* this.credentials(call, was, is);
    yield* this.parameters(call, was['parameters'] ?? [], is['parameters'] ?? []);
    yield* this.requestBody(call, this.pair(was['requestBody'], is['requestBody']));
    yield* this.responses(call, was['responses'] ?? {}, is['responses'] ?? {});
  }

  /** @param {string} call @param {Json} was @param {Json} is */
  *credentials(call, was, is) {
    const [scopeBefore, scope] = [was['x-required-scope'], is['x-required-scope']];
    if (scope !== undefined && scope !== scopeBefore) {
      yield scopeBefore === undefined
        ? `${call}: the scope ${scope} is now required`
        : `${call}: the scope ${scope} is required instead of ${scopeBefore}`;
    }
    const accepted = credentialsOf(is, this.after);
    if (accepted === null) return;
    const acceptedBefore = credentialsOf(was, this.before);
    if (acceptedBefore === null) yield `${call}: a credential is now required`;
    for (const credential of acceptedBefore ?? []) {
      if (!accepted.includes(credential)) yield `${call}: the credential ${credential} is no longer accepted`;
    }
  }

  /** @param {string} call @param {Json[]} before @param {Json[]} after */
  *parameters(call, before, after) {
    const [wasBy, isBy] = [this.byName(before, this.before), this.byName(after, this.after)];
    for (const [name, was] of wasBy) {
      const is = isBy.get(name);
      if (!is) yield `${call}: the ${name} was removed`;
      else if (this.isNew(was, is)) yield* this.parameter(`${call}, ${name}`, was, is);
    }
    for (const [name, is] of isBy) {
      if (is['required'] && !wasBy.has(name)) yield `${call}: the ${name} was added and is required`;
    }
  }

  /** @param {string} place @param {Json} was @param {Json} is */
  *parameter(place, was, is) {
    if (is['required'] && !was['required']) yield `${place}: it is now required`;
    for (const keyword of ['style', 'explode']) {
      if (was[keyword] !== is[keyword]) yield `${place}: ${keyword} changed, so that lists are written differently`;
    }
    yield* this.schemas.changes(was['schema'], is['schema'], { direction: 'request', place, path: '$' });
  }

  /** @param {Json[]} parameters @param {Json} document */
  byName(parameters, document) {
    const resolved = parameters.map((parameter) => resolve(parameter, document));
    return new Map(resolved.map((each) => [`${each['in']} parameter ${nameOf(each)}`, each]));
  }

  /** @param {string} call @param {{ was: Json | undefined, is: Json | undefined }} bodies */
  *requestBody(call, { was, is }) {
    const place = `${call}, request body`;
    if (was && !is) yield `${place}: it was removed`;
    if (is?.['required'] && !was?.['required']) yield `${place}: it is now required`;
    if (was && is) yield* this.content(was, is, { direction: 'request', place, path: '$' });
  }

  /** @param {string} call @param {Json} before @param {Json} after */
  *responses(call, before, after) {
    for (const status of Object.keys(before)) {
      const { was, is } = this.pair(before[status], after[status]);
      const place = `${call}, response ${status}`;
      if (was && is && this.isNew(was, is)) yield* this.response(place, was, is);
      else if (!is && !isError(status)) yield `${place}: the status was removed`;
    }
    for (const status of Object.keys(after)) {
      if (/^2/.test(status) && !before[status]) yield `${call}, response ${status}: a status of success was added`;
    }
  }

  /** @param {string} place @param {Json} was @param {Json} is */
  *response(place, was, is) {
    const direction = isError(/\d+$/.exec(place)?.[0] ?? '') ? 'error' : 'response';
    yield* this.content(was, is, { direction, place, path: '$' });
    for (const name of Object.keys(was['headers'] ?? {})) {
      const header = this.pair(was['headers'][name], is['headers']?.[name]);
      if (!header.was) continue;
      if (!header.is) yield `${place}: the header ${name} was removed`;
      else if (header.was['required'] && !header.is['required']) yield `${place}: the header ${name} may now be absent`;
      const at = { direction: /** @type {const} */ ('response'), place: `${place}, header ${name}`, path: '$' };
      if (header.is) yield* this.schemas.changes(header.was['schema'], header.is['schema'], at);
    }
  }

  /** @param {Json} was @param {Json} is @param {Place} at */
  *content(was, is, at) {
    for (const [type, media] of Object.entries(was['content'] ?? {})) {
      const other = is['content']?.[type];
      if (!other) yield `${at.place}: the content type ${type} was removed`;
      else yield* this.schemas.changes(media.schema, other.schema, at);
    }
  }

  *securitySchemes() {
    const after = this.after['components']?.securitySchemes ?? {};
    for (const [name, scheme] of Object.entries(this.before['components']?.securitySchemes ?? {})) {
      const { was, is } = this.pair(scheme, after[name]);
      const differs = ['type', 'scheme', 'in', 'name', 'openIdConnectUrl'].some((key) => was?.[key] !== is?.[key]);
      if (differs) yield `The security scheme ${name} was removed or changed`;
      else yield* flowChanges(was?.['flows'], is?.['flows']).map((change) => `The security scheme ${name}: ${change}`);
    }
  }

  /** @param {Json | undefined} before @param {Json | undefined} after */
  pair(before, after) {
    return { was: before && resolve(before, this.before), is: after && resolve(after, this.after) };
  }

  /** Returns whether this pair of components has not been compared yet. @param {Json} was @param {Json} is */
  isNew(was, is) {
    const others = this.compared.get(was) ?? new WeakSet();
    this.compared.set(was, others);
    if (others.has(is)) return false;
    others.add(is);
    return true;
  }
}

/** Returns the operations by method and path. @param {Json} document @returns {Map<string, Json>} */
function operationsIn({ paths = {} }) {
  const found = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const { [method]: operation, parameters = [] } = item;
      const all = [...parameters, ...(operation.parameters ?? [])];
      return /** @type {const} */ ([`${method.toUpperCase()} ${path}`, { ...operation, parameters: all }]);
    }),
  );
  return new Map(found);
}

/** @param {Json} document @returns {string[]} */
function serversOf({ servers = [{ url: '/' }] }) {
  return servers.map((/** @type {Json} */ { url }) => url);
}

/** @param {Json} before @param {Json} after the flows of OAuth @returns {string[]} */
function flowChanges(before = {}, after = {}) {
  return Object.entries(before).flatMap(([flow, was]) => {
    const is = after[flow];
    if (!is) return [`the flow ${flow} was removed`];
    const urls = ['authorizationUrl', 'tokenUrl', 'refreshUrl'].filter((name) => was[name] && was[name] !== is[name]);
    const scopes = Object.keys(was.scopes ?? {}).filter((scope) => !(scope in (is.scopes ?? {})));
    return [
      ...urls.map((name) => `${name} ${was[name]} became ${is[name]}`),
      ...scopes.map((scope) => `the scope ${scope} was removed`),
    ];
  });
}

/**
 * Returns the alternatives; null if none is necessary. @param {Json} operation @param {Json} document @returns {string[] |
 * null}
 */
function credentialsOf(operation, document) {
  /** @type {Json[]} */
  const alternatives = operation['security'] ?? document['security'] ?? [];
  if (alternatives.length === 0 || alternatives.some((each) => Object.keys(each).length === 0)) return null;
  return alternatives.map((each) =>
    Object.entries(each)
      .map(([scheme, scopes]) => [scheme, ...scopes].join(' '))
      .join(' with '),
  );
}

/** Names of headers ignore case. @param {Json} parameter */
function nameOf({ in: kind, name }) {
  return kind === 'header' ? name.toLowerCase() : name;
}

/** @param {Json} operation */
function sunsetOf({ 'x-sunset': sunset, deprecated }) {
  if (sunset) return ` (its sunset is ${sunset})`;
  return deprecated ? ' (it is deprecated, without a sunset)' : ' (it is not deprecated)';
}

/** @param {string} status */
function isError(status) {
  return /^[45]/.test(status);
}

/** @param {Json} part @param {Json} document @returns {Json} */
function resolve(part, document) {
  return part['$ref'] ? resolve(target(part['$ref'], document), document) : part;
}
