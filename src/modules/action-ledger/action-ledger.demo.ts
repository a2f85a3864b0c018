import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { ActionLedger } from './entries/action-ledger.service.js';

/** Creates the entry named in the examples of the API document. */
@Injectable()
export class ActionLedgerDemo {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
  ) {}

  @DemoData(10, 'action ledger')
  async load(): Promise<void> {
    const change = { subjectType: 'installation', subjectId: 'demo', reason: 'Demo data was loaded' };
    await this.database.transaction(async () => {
      this.ledger.recordUnder(demoId('aled', 1), 'platform.demo.load', { ...change, after: { demo: true } });
    });
  }
}
