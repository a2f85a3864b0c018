export {
  type AttachmentSubject,
  AttachmentSubjects,
  type AttachmentSubjectType,
} from './attachments/attachment-subjects.js';
export type { CreateAttachment } from './attachments/attachment.dto.js';
export { AttachmentsService } from './attachments/attachments.service.js';
export { DocumentsModule } from './documents.module.js';
export { documentEvents } from './events.js';
