import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { CustomersModule } from '../customers/index.js';
import { OrganizationModule } from '../organization/index.js';
import { AttachmentErasuresService } from './attachments/attachment-erasures.service.js';
import { AttachmentRetentionJobs } from './attachments/attachment-retention.jobs.js';
import { AttachmentsController } from './attachments/attachments.controller.js';
import { AttachmentsRepository } from './attachments/attachments.repository.js';
import { AttachmentsService } from './attachments/attachments.service.js';
import { MergedAttachmentsListener } from './attachments/merged-attachments-listener.js';
import { DocumentsDemo } from './documents.demo.js';
import { DocumentsData } from './documents-data.js';
import { DocumentErasuresService } from './records/document-erasures.service.js';
import { RecordDocumentJobs } from './records/record-documents.jobs.js';
import { RecordDocumentsController } from './records/record-documents.controller.js';
import { RecordDocumentsRepository } from './records/record-documents.repository.js';
import { RecordDocumentsService } from './records/record-documents.service.js';
import { BlockDocuments } from './layout/block-documents.js';
import { DocumentTemplatesController } from './templates/document-templates.controller.js';
import { DocumentTemplatesService } from './templates/document-templates.service.js';
import './documents-tables.js';

/** Files that people add to records, and documents that print records. */
@Module({
  imports: [ActionLedgerModule, CustomersModule, OrganizationModule],
  controllers: [AttachmentsController, DocumentTemplatesController, RecordDocumentsController],
  providers: [
    AttachmentErasuresService,
    AttachmentRetentionJobs,
    AttachmentsRepository,
    AttachmentsService,
    BlockDocuments,
    DocumentErasuresService,
    DocumentTemplatesService,
    DocumentsData,
    DocumentsDemo,
    MergedAttachmentsListener,
    RecordDocumentJobs,
    RecordDocumentsRepository,
    RecordDocumentsService,
  ],
  exports: [AttachmentsService, RecordDocumentJobs, RecordDocumentsService],
})
export class DocumentsModule {}
