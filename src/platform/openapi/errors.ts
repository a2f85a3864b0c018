import { SetMetadata } from '@nestjs/common';

export const REFUSALS = 'refusals';

/** Status -> codes that this route may answer beside those that every route of its surface has. */
export type Refusals = Readonly<Partial<Record<400 | 403 | 404 | 409 | 410 | 422, readonly string[]>>>;

/** States in the API document which further refusals this route has, by status. */
export function Refuses(refusals: Refusals): MethodDecorator {
  return SetMetadata(REFUSALS, refusals);
}
