import type { CommissionChanges, CommissionLine } from './commission-line.entity.js';
import { type CommissionTerms, completeTerms, type GivenTerms } from './commission-terms.js';
import type { UpdateCommission } from './commission.dto.js';

const TERMS: readonly (keyof GivenTerms)[] = [
  'commissionModel',
  'basis',
  'rateBasisPoints',
  'amountCents',
  'perUnit',
  'netRateCents',
];

/** What the body says that is no matter of computing: only the members that it has. */
export function recipientChanges(body: UpdateCommission): CommissionChanges {
  const { recipientType, recipientName, recipientId, channelId, payableTrigger, notes } = body;
  const wanted = { recipientType, recipientName, recipientId, channelId, payableTrigger, notes };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

/** The terms that the line then has; null where the body says nothing of them. Throws 400 as `completeTerms`. */
export function changedTerms(line: CommissionLine, body: UpdateCommission): CommissionTerms | null {
  if (TERMS.every((term) => body[term] === undefined)) return null;
  const { commissionModel = line.commissionModel } = body;
  const kept = commissionModel === line.commissionModel ? givenBy(line) : {};
  const { basis, rateBasisPoints, amountCents, perUnit, netRateCents } = body;
  return completeTerms({
    commissionModel,
    basis: basis ?? kept.basis,
    rateBasisPoints: rateBasisPoints ?? kept.rateBasisPoints,
    amountCents: amountCents ?? kept.amountCents,
    perUnit: perUnit ?? kept.perUnit,
    netRateCents: netRateCents ?? kept.netRateCents,
  });
}

function givenBy({ basis, rateBasisPoints, fixedCents, perUnit, netRateCents }: CommissionLine): GivenTerms {
  return {
    basis: basis ?? undefined,
    rateBasisPoints: rateBasisPoints ?? undefined,
    amountCents: fixedCents ?? undefined,
    perUnit: perUnit || undefined,
    netRateCents: netRateCents ?? undefined,
  };
}
