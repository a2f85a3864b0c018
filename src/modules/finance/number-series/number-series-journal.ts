import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { NumberSeriesResponse } from './number-series-response.dto.js';

const EVENTS = { create: 'created', update: 'updated', delete: 'deleted' } as const;

/** Of one that was made, with the series whose place as the default it took. */
type Image = NumberSeriesResponse & { displacedDefaultId?: string | null };

/** What happened to a series, told to the ledger and to subscribers. */
@Injectable()
export class NumberSeriesJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  record(
    verb: keyof typeof EVENTS,
    id: string,
    change: { before: NumberSeriesResponse | null; after: Image | null },
  ): void {
    const subject = { subjectType: 'invoice_number_series', subjectId: id };
    this.ledger.record(`finance.invoice_number_series.${verb}`, { ...subject, ...change });
    const image = change.after ?? change.before;
    if (image) this.announce(verb, id, image);
  }

  announce(verb: keyof typeof EVENTS, id: string, { active, version }: NumberSeriesResponse): void {
    this.outbox.add({
      channel: 'finance.invoice-number-series',
      event: `invoice_number_series.${EVENTS[verb]}`,
      data: { invoiceNumberSeriesId: id, active, version },
    });
  }
}
