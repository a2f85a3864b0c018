import { Module } from '@nestjs/common';
import { ActionLedger } from './action-ledger.service.js';
import { LedgerEntriesController } from './ledger-entries.controller.js';
import { LedgerEntries } from './ledger-entries.service.js';
import { LedgerVerification } from './ledger-verification.service.js';

@Module({
  controllers: [LedgerEntriesController],
  providers: [ActionLedger, LedgerEntries, LedgerVerification],
  exports: [ActionLedger, LedgerVerification],
})
export class ActionLedgerModule {}
