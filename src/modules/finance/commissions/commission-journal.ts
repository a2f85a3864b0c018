import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { CommissionLine } from './commission-line.entity.js';

/** What is done to a line, and what those hear who listen. */
const EVENTS = {
  create: 'created',
  update: 'updated',
  recompute: 'updated',
  accrue: 'accrued',
  release: 'payable',
  withdraw: 'withdrawn',
  pay: 'paid',
  void: 'voided',
  reverse: 'payable',
} as const;
export type CommissionVerb = keyof typeof EVENTS;

export interface Images {
  before: object | null;
  reason?: string | null;
}

/** Records and tells every change of a commission. */
@Injectable()
export class CommissionJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  tell(verb: CommissionVerb, line: CommissionLine, { before, reason }: Images): void {
    const subject = { subjectType: 'commission', subjectId: line.id };
    this.ledger.record(`finance.commission.${verb}`, {
      ...subject,
      before,
      after: imageOf(line),
      reason: reason ?? null,
    });
    const { id: commissionId, bookingId, bookingItemId, status, currency, amountCents, version } = line;
    const data = { commissionId, bookingId, bookingItemId, status, currency, amountCents, version };
    this.outbox.add({ channel: 'finance.commissions', event: `commission.${EVENTS[verb]}`, data });
  }
}

/** Without the recipient's name and the notes, which may be about a person. */
export function imageOf(line: CommissionLine): object {
  return {
    id: line.id,
    bookingId: line.bookingId,
    bookingItemId: line.bookingItemId,
    recipientType: line.recipientType,
    recipientId: line.recipientId,
    channelId: line.channelId,
    commissionModel: line.commissionModel,
    basis: line.basis,
    rateBasisPoints: line.rateBasisPoints,
    fixedCents: line.fixedCents,
    perUnit: line.perUnit,
    netRateCents: line.netRateCents,
    baseCents: line.baseCents,
    amountCents: line.amountCents,
    currency: line.currency,
    payableTrigger: line.payableTrigger,
    status: line.status,
    paidOn: line.paidOn,
    reversesId: line.reversesId,
    version: line.version,
  };
}
