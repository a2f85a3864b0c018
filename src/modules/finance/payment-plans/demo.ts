import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { demoId } from '../../../platform/ids/id.js';
import { Provisioning } from '../../../platform/provisioning/provisioning.js';
import { BookingsService } from '../../bookings/index.js';
import { PaymentPlans } from './payment-plans.service.js';

/**
 * The installments that the API document's examples name: 1 and 2 of booking 20 to be read, 3 and 4 of booking 22, where 3
 * is changed. Booking 21 gets an installment and 23 a collection plan: they have none.
 */
@Injectable()
export class PaymentPlanDemo implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly plans: PaymentPlans,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.provisioning.demo(460, 'payment plans', async () => {
      await this.load(20, 1);
      await this.load(22, 3);
    });
  }

  private async load(booking: number, firstInstallment: number): Promise<void> {
    await this.database.transaction(async () => {
      const facts = await this.bookings.lock(demoId('book', booking));
      const { policy, source, computed } = await this.plans.compute(facts, { today: this.clock.today() });
      const entries = computed.entries.map((entry, index) => ({
        ...entry,
        id: demoId('psch', firstInstallment + index),
      }));
      await this.plans.open(facts, { policy, source }, entries);
    });
  }
}
