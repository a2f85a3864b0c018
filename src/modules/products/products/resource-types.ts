import { extensible } from '../../../platform/http/named-values.js';

/** Kinds of resources that a departure can need. */
export const RESOURCE_TYPES = extensible('ResourceType', [
  'guide',
  'driver',
  'vehicle',
  'boat',
  'equipment',
  'room',
  'other',
]);
export type ResourceType = (typeof RESOURCE_TYPES)[number];
