import { SetMetadata } from '@nestjs/common';

export const ROUTE_ERROR_CODES = 'refusals';

/** Status -> codes of this route, in addition to those of every route of its surface. */
export type RouteErrorCodes = Readonly<Partial<Record<400 | 401 | 403 | 404 | 409 | 410 | 422, readonly string[]>>>;

/** Declares further errors of this route, by status, for the API document. */
export function Refuses(refusals: RouteErrorCodes): MethodDecorator {
  return SetMetadata(ROUTE_ERROR_CODES, refusals);
}

const ERROR_BODIES = 'error-bodies';

/** A schema under the name that it has in the document. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: Record<string, unknown>;
}

/** Status -> a body that is described more closely than its surface's errors are. */
export type ErrorBodies = Readonly<Record<number, NamedSchema>>;

/** Declares the schemas of this route's error bodies for the API document. */
export function WithErrorBodies(bodies: ErrorBodies): MethodDecorator {
  return SetMetadata(ERROR_BODIES, bodies);
}

export function errorBodiesOf(handler: object): ErrorBodies {
  return (Reflect.getMetadata(ERROR_BODIES, handler) as ErrorBodies | undefined) ?? {};
}

const ERROR_PAGES = 'error-pages';

/** Declares that these errors of this route may also be HTML pages, for people who followed a link. */
export function ErrorPages(...statuses: number[]): MethodDecorator {
  return SetMetadata(ERROR_PAGES, statuses);
}

export function errorPagesOf(handler: object): readonly number[] {
  return (Reflect.getMetadata(ERROR_PAGES, handler) as readonly number[] | undefined) ?? [];
}

const BODY_EXAMPLE = 'body-example';

/** The example of this route's body, if the examples of its members do not make a valid one. */
export function BodyExample(example: Record<string, unknown>): MethodDecorator {
  return SetMetadata(BODY_EXAMPLE, example);
}

export function bodyExampleOf(handler: object): Record<string, unknown> | null {
  return (Reflect.getMetadata(BODY_EXAMPLE, handler) as Record<string, unknown> | undefined) ?? null;
}
