import { Id, OneOf, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { POLICY_KINDS, type PolicyKind, type TermsLine } from '../../legal/index.js';

/** One policy version that applies to the booking, and the products it covers. */
export class BookingTermsLine {
  /** What the policy regulates; several lines of one kind cover different products. */
  @OneOf(POLICY_KINDS)
  kind: PolicyKind;

  /** The policy that the version belongs to (prefix `pol`). */
  @Id('pol')
  policyId: string;

  /** The version in force at confirmation (prefix `polv`); its text never changes. */
  @Id('polv')
  policyVersionId: string;

  /** Sequence number of the version within its policy, starting at 1. */
  @Whole({ min: 1, max: 2_147_483_647 })
  number: number;

  /** SHA-256 (hexadecimal) of the policy version, as listed with the version. */
  @Text({ max: 64 })
  sha256: string;

  /** Products that the line covers; null if it covers everything that no other line of its kind lists. */
  @Texts({ max: 500, maxLength: 128 })
  productIds: string[] | null;
}

export function toTermsLine(line: TermsLine): BookingTermsLine {
  const { kind, policyId, policyVersionId, number, sha256, productIds } = line;
  return { kind, policyId, policyVersionId, number, sha256, productIds };
}
