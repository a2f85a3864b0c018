import { expect, it } from '@jest/globals';
import { errorShapeOf, surfaceOf } from './surface.js';

it.each([
  ['/v1/public/legal/contracts/x', 'storefront', 'trade'],
  ['/v1/admin/finance', 'staff', 'trade'],
  ['/V1/ADMIN/', 'staff', 'trade'],
  ['/connect/v1/operators', 'connect', 'trade'],
  ['/connect/v1/oauth/token', 'connect', 'oauth'],
  ['/vault/v1/x/encrypt', 'vault', 'plain'],
  ['/vault', 'vault', 'plain'],
  ['/realtime/v1/channels/x/messages/', 'realtime', 'plain'],
  ['/data/geo/v1/reference/languages', 'data', 'data'],
  ['/octo/availability/', 'octo', 'octo'],
  ['/octopus', 'storefront', 'trade'],
  ['/database', 'storefront', 'trade'],
  ['/v1/files/abc', 'storefront', 'trade'],
  ['/foo', 'storefront', 'trade'],
  ['/', 'storefront', 'trade'],
])('%s belongs to the %s surface and has the error format %s', (path, surface, shape) => {
  expect(surfaceOf(path)).toBe(surface);
  expect(errorShapeOf(path)).toBe(shape);
});
