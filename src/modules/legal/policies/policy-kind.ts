export const POLICY_KINDS = [
  'cancellation',
  'payment',
  'terms_and_conditions',
  'privacy',
  'refund',
  'commission',
  'guarantee',
  'other',
] as const;
export type PolicyKind = (typeof POLICY_KINDS)[number];
