import { currentContext } from '../context/request-context.js';

/** Sets the `ETag` of a versioned resource. Clients send it back in `If-Match`. */
export function tagged<T>(resource: { version: number }, body: T): T {
  currentContext().headers.set('ETag', `"${resource.version}"`);
  return body;
}

/** The response of a create: `Location` is the path of the new resource, `ETag` its version if it has one. */
export function created<T>(location: string, resource: { version?: number }, body: T): T {
  currentContext().headers.set('Location', location);
  return resource.version === undefined ? body : tagged({ version: resource.version }, body);
}

/** Sets a header of the response. */
export function setResponseHeader(name: string, value: string): void {
  currentContext().headers.set(name, value);
}
