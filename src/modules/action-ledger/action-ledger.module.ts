import { Module, type OnModuleInit } from '@nestjs/common';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ActionLedger } from './action-ledger.service.js';
import { LedgerEntriesController } from './ledger-entries.controller.js';
import { LedgerEntries } from './ledger-entries.service.js';
import { LedgerVerification } from './ledger-verification.service.js';

@Module({
  controllers: [LedgerEntriesController],
  providers: [ActionLedger, LedgerEntries, LedgerVerification],
  exports: [ActionLedger, LedgerVerification],
})
export class ActionLedgerModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly ledger: ActionLedger,
  ) {}

  onModuleInit(): void {
    this.provisioning.onApplied((section, rows) =>
      this.ledger.record('platform.provisioning.apply', {
        subjectType: 'provisioning_section',
        subjectId: section,
        after: { rows },
      }),
    );
  }
}
