import { named } from '../../../platform/http/named-values.js';

export const TAX_KINDS = named('TaxKind', [
  'standard',
  'reduced',
  'zero',
  'exempt',
  'outside_scope',
  'reverse_charge',
  'margin_scheme',
]);
export type TaxKind = (typeof TAX_KINDS)[number];
