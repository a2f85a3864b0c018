import { SetMetadata } from '@nestjs/common';

export const REFUSALS = 'refusals';

/** Status -> codes that this route may answer beside those that every route of its surface has. */
export type Refusals = Readonly<Partial<Record<400 | 401 | 403 | 404 | 409 | 410 | 422, readonly string[]>>>;

/** States in the API document which further refusals this route has, by status. */
export function Refuses(refusals: Refusals): MethodDecorator {
  return SetMetadata(REFUSALS, refusals);
}

const BODY_EXAMPLE = 'body-example';

/** The example of this route's body, where its members' examples together would not do. */
export function BodyExample(example: Record<string, unknown>): MethodDecorator {
  return SetMetadata(BODY_EXAMPLE, example);
}

export function bodyExampleOf(handler: object): Record<string, unknown> | null {
  return (Reflect.getMetadata(BODY_EXAMPLE, handler) as Record<string, unknown> | undefined) ?? null;
}
