export {
  type AttachmentSubject,
  AttachmentSubjects,
  type AttachmentSubjectType,
} from './attachments/attachment-subjects.js';
export type { CreateAttachment } from './attachments/attachment.dto.js';
export { AttachmentsService } from './attachments/attachments.service.js';
export { DocumentsModule } from './documents.module.js';
export { documentEvents } from './events.js';
export type { Block, DocumentTexts, Values } from './layout/blocks.js';
export {
  type DocumentKind,
  DocumentPrinter,
  type DocumentSelection,
  type DocumentSource,
  type DocumentSubject,
  type PrintableDocument,
} from './kinds/document-kinds.js';
export { RecordDocumentJobs } from './records/record-documents.jobs.js';
export { RecordDocumentsService } from './records/record-documents.service.js';
