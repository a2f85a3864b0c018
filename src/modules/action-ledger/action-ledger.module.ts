import { Module, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { demoId } from '../../platform/ids/id.js';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedger } from './action-ledger.service.js';
import { LedgerEntriesController } from './ledger-entries.controller.js';
import { LedgerEntries } from './ledger-entries.service.js';
import { LedgerExport } from './ledger-export.service.js';
import { LedgerVerificationController } from './ledger-verification.controller.js';
import { LedgerVerification } from './ledger-verification.service.js';
import { NightlyVerification } from './nightly-verification.js';
import { LedgerReversalsController } from './reversals/ledger-reversals.controller.js';
import { LedgerReversals } from './reversals/ledger-reversals.service.js';
import { OutsideReversals } from './reversals/outside-reversals.service.js';
import { ReversalJournal } from './reversals/reversal-journal.js';
import { ReversalRows } from './reversals/reversal-rows.service.js';
import { Reversals } from './reversals/reversals.js';

@Module({
  controllers: [LedgerEntriesController, LedgerReversalsController, LedgerVerificationController],
  providers: [
    ActionLedger,
    LedgerEntries,
    LedgerExport,
    LedgerReversals,
    LedgerVerification,
    NightlyVerification,
    OutsideReversals,
    ReversalJournal,
    ReversalRows,
    Reversals,
  ],
  exports: [ActionLedger, LedgerVerification, Reversals],
})
export class ActionLedgerModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly ledger: ActionLedger,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.provisioning.demo(10, 'action ledger', () => this.recordDemo());
    this.provisioning.onApplied((section, rows) =>
      this.ledger.record('platform.provisioning.apply', {
        subjectType: 'provisioning_section',
        subjectId: section,
        after: { rows },
      }),
    );
  }

  /** The entry that the API document shows. */
  private async recordDemo(): Promise<void> {
    const change = { subjectType: 'installation', subjectId: 'demo', reason: 'Demo data was loaded' };
    await this.database.transaction(async () => {
      this.ledger.recordUnder(demoId('aled', 1), 'platform.demo.load', { ...change, after: { demo: true } });
    });
  }
}
