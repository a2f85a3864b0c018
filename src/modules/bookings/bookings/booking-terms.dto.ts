import { Id, OneOf, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { POLICY_KINDS, type PolicyKind, type TermsLine } from '../../legal/index.js';

export class BookingTermsLine {
  @OneOf(POLICY_KINDS)
  kind: PolicyKind;

  @Id('pol')
  policyId: string;

  @Id('polv')
  policyVersionId: string;

  /** Of the policy's versions. */
  @Whole({ min: 1, max: 2_147_483_647 })
  number: number;

  /** The version's. */
  @Text({ max: 64 })
  sha256: string;

  /** The products for which it holds; null: for everything that no other line of its kind names. */
  @Texts({ max: 500, maxLength: 128 })
  productIds: string[] | null;
}

export function toTermsLine(line: TermsLine): BookingTermsLine {
  const { kind, policyId, policyVersionId, number, sha256, productIds } = line;
  return { kind, policyId, policyVersionId, number, sha256, productIds };
}
