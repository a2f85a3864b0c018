import { extensible } from '../../../platform/http/named-values.js';

export const POLICY_KINDS = extensible('PolicyKind', [
  'cancellation',
  'payment',
  'terms_and_conditions',
  'privacy',
  'refund',
  'commission',
  'guarantee',
  'other',
]);
export type PolicyKind = (typeof POLICY_KINDS)[number];
