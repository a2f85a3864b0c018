import { Injectable, type OnModuleInit } from '@nestjs/common';
import { demoId } from '../../../platform/ids/id.js';
import { Provisioning } from '../../../platform/provisioning/provisioning.js';
import { Commissions } from './commissions.service.js';

const AGENCY = { recipientType: 'agency', recipientName: 'Alpine Resellers', recipientId: 'AR-17' } as const;

/** The commissions that the API document's examples name: 1 to be read, 2 changed, 3 voided, and 4 payable, to be paid out. */
@Injectable()
export class CommissionDemo implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly commissions: Commissions,
  ) {}

  onModuleInit(): void {
    this.provisioning.demo(490, 'commissions', () => this.load());
  }

  private async load(): Promise<void> {
    const [sold, departed] = [demoId('bkit', 19), demoId('bkit', 106)];
    const guide = {
      recipientType: 'agent',
      recipientName: 'Reto',
      commissionModel: 'fixed',
      amountCents: 500,
    } as const;
    const wrong = { recipientType: 'other', recipientName: 'Wrong Partner', rateBasisPoints: 100 } as const;
    const trip = { ...AGENCY, rateBasisPoints: 1000, payableTrigger: 'departed' } as const;
    await this.commissions.create(sold, { ...AGENCY, rateBasisPoints: 1250 }, demoId('comm', 1));
    await this.commissions.create(sold, { ...AGENCY, rateBasisPoints: 500, basis: 'margin' }, demoId('comm', 2));
    await this.commissions.create(sold, wrong, demoId('comm', 3));
    await this.commissions.create(departed, trip, demoId('comm', 4));
    await this.commissions.create(sold, { ...guide, perUnit: true });
  }
}
