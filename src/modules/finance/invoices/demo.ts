import { Injectable, type OnModuleInit } from '@nestjs/common';
import { demoId } from '../../../platform/ids/id.js';
import { Provisioning } from '../../../platform/provisioning/provisioning.js';
import { InvoiceDrafts } from './invoice-drafts.service.js';
import { InvoiceIssuance } from './invoice-issuance.service.js';

/** A booking of its own for all of them: what is invoiced there stands in nobody's way. */
const BOOKING = demoId('book', 18);
const ISSUED = [1, 4];

/**
 * The invoices that the API document's examples name: 1 issued, to be read; drafts 2 to be changed, 3 to be issued and 5
 * to be deleted; 4 issued, to be voided.
 */
@Injectable()
export class InvoiceDemo implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly drafts: InvoiceDrafts,
    private readonly issuance: InvoiceIssuance,
  ) {}

  onModuleInit(): void {
    this.provisioning.demo(470, 'invoices', () => this.load());
  }

  private async load(): Promise<void> {
    for (const number of [1, 2, 3, 4, 5]) {
      const id = demoId('inv', number);
      const tour = { description: 'Lake tour', quantity: '2', unitPriceCents: 5_000, taxRateBasisPoints: 1_900 };
      const discount = { description: 'Early bird', unitPriceCents: -500, taxRateBasisPoints: 1_900 };
      await this.drafts.create(
        { bookingId: BOOKING, payerAddress: '12 Lake Road\nLucerne', lines: [tour, discount] },
        id,
      );
      if (ISSUED.includes(number)) await this.issuance.issue(id, {}, null);
    }
  }
}
