import { Module } from '@nestjs/common';
import { ActionLedgerDemo } from './action-ledger.demo.js';
import { LedgerCheckpoints } from './checkpoints/ledger-checkpoints.service.js';
import { ActionLedger } from './entries/action-ledger.service.js';
import { LedgerEntriesController } from './entries/ledger-entries.controller.js';
import { LedgerEntriesService } from './entries/ledger-entries.service.js';
import { ReversalHandlers } from './entries/reversal-handlers.js';
import { PayloadErasuresService } from './erasures/payload-erasures.service.js';
import { PayloadRetentionJobs } from './erasures/payload-retention.jobs.js';
import { LedgerReversalsController } from './reversals/ledger-reversals.controller.js';
import { LedgerReversalsRepository } from './reversals/ledger-reversals.repository.js';
import { LedgerReversalsService } from './reversals/ledger-reversals.service.js';
import { LedgerPartitionJobs } from './storage/ledger-partitions.jobs.js';
import { LedgerVerificationController } from './verification/ledger-verification.controller.js';
import { LedgerVerificationService } from './verification/ledger-verification.service.js';
import './action-ledger-tables.js';

@Module({
  controllers: [LedgerEntriesController, LedgerReversalsController, LedgerVerificationController],
  providers: [
    ActionLedger,
    ActionLedgerDemo,
    LedgerCheckpoints,
    LedgerEntriesService,
    LedgerPartitionJobs,
    LedgerReversalsRepository,
    LedgerReversalsService,
    LedgerVerificationService,
    PayloadErasuresService,
    PayloadRetentionJobs,
    ReversalHandlers,
  ],
  exports: [ActionLedger, PayloadErasuresService],
})
export class ActionLedgerModule {}
