import { SetMetadata } from '@nestjs/common';
import { currentContext } from '../context/request-context.js';

const COMPUTED = 'computed-response';

/**
 * The response also contains what is computed now, which the version in its `ETag` does not cover: it is never 304, so that
 * no client keeps what is outdated.
 */
export function ComputedNow(): MethodDecorator {
  return SetMetadata(COMPUTED, true);
}

export function isComputedNow(handler: object): boolean {
  return Reflect.hasMetadata(COMPUTED, handler);
}

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
