import type { RecordSubject } from '../../../platform/database/record-subject.js';
import { extensible } from '../../../platform/http/named-values.js';
import type { Person } from '../../customers/index.js';

export const ATTACHMENT_SUBJECT_TYPES = extensible('AttachmentSubjectType', [
  'customer',
  'booking',
  'traveler',
  'trip',
  'departure',
  'invoice',
  'supplier_invoice',
  'contract',
  'resource',
  'product',
  'organization',
]);
export type AttachmentSubjectType = (typeof ATTACHMENT_SUBJECT_TYPES)[number];

/** The record to which an attachment belongs. */
export interface AttachmentSubject {
  subjectType: AttachmentSubjectType;
  subjectId: string;
}

/** The records of other modules to which files are attached. One higher module declares it with `@Listens(AttachmentSubjects, ...)`. */
export abstract class AttachmentSubjects {
  /** The scopes and the table of records of this kind. */
  abstract subjectOf(type: AttachmentSubjectType): RecordSubject<string>;

  /**
   * Prevents that the record is deleted or merged until the transaction ends. Throws 404 if it is unknown, and 409 if it accepts
   * nothing new.
   */
  abstract lock(subject: AttachmentSubject): Promise<void>;

  /** The records about this person whose attachments are personal data, besides those of the customer itself. */
  abstract recordsOf(person: Person): Promise<AttachmentSubject[]>;

  /** Records with attachments that were deleted, or whose personal data has ended. */
  abstract listEnded(limit: number): Promise<AttachmentSubject[]>;
}
