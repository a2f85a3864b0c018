import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { demoId } from '../../../platform/ids/id.js';
import { Provisioning } from '../../../platform/provisioning/provisioning.js';
import { Payments } from './payments.service.js';

/**
 * The payments that the API document's examples name, all for supplier invoice 7: 1 to be read, 2 with unapplied money to
 * be put to use, 3 with an allocation to be taken back, 4 to be reversed. 5 is the deposit on booking 16; booking 17 is
 * there for money that an example receives.
 */
@Injectable()
export class PaymentDemo implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly payments: Payments,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.provisioning.demo(480, 'payments', () => this.load());
  }

  private async load(): Promise<void> {
    for (const number of [1, 2, 3, 4]) {
      await this.payments.record(
        {
          direction: 'out',
          supplierInvoiceId: demoId('sinv', 7),
          method: 'bank_transfer',
          currency: 'EUR',
          amountCents: 20_000,
          paidOn: '2025-11-03',
          reference: `Part ${number}`,
        },
        { id: demoId('pay', number), allocationIds: [demoId('pall', number)] },
      );
    }
    await this.payments.deallocate(demoId('pay', 2), demoId('pall', 2), null);
    const deposit = { method: 'card', currency: 'EUR', amountCents: 35_700, paidOn: this.clock.today() } as const;
    await this.payments.record({ bookingId: demoId('book', 16), ...deposit }, { id: demoId('pay', 5) });
  }
}
