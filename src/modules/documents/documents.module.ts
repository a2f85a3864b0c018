import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { CustomersModule } from '../customers/index.js';
import { AttachmentData } from './attachments/attachment-data.js';
import { AttachmentErasuresService } from './attachments/attachment-erasures.service.js';
import { AttachmentRetentionJobs } from './attachments/attachment-retention.jobs.js';
import { AttachmentsController } from './attachments/attachments.controller.js';
import { AttachmentsRepository } from './attachments/attachments.repository.js';
import { AttachmentsService } from './attachments/attachments.service.js';
import { MergedAttachmentsListener } from './attachments/merged-attachments-listener.js';
import './documents-tables.js';

/** Files that people add to records. */
@Module({
  imports: [ActionLedgerModule, CustomersModule],
  controllers: [AttachmentsController],
  providers: [
    AttachmentData,
    AttachmentErasuresService,
    AttachmentRetentionJobs,
    AttachmentsRepository,
    AttachmentsService,
    MergedAttachmentsListener,
  ],
  exports: [AttachmentsService],
})
export class DocumentsModule {}
