import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Id, Ignored, OneOf, Optional, Text, Version, Whole } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CheckedText, Instant } from '../../../platform/http/trade-fields.js';
import { ATTACHMENT_SUBJECT_TYPES, type AttachmentSubjectType } from './attachment-subjects.js';
import {
  type Attachment,
  ATTACHMENT_STATUSES,
  ATTACHMENT_VISIBILITIES,
  type AttachmentStatus,
  type AttachmentVisibility,
} from './attachment.entity.js';
import { FILE_TYPES, type FileType } from './file-type.js';

export const MAX_FILE_BYTES = 10_485_760;
const MAX_SUBJECT_ID = 128;
const MAX_NAME = 150;
/** No path, no characters that change the direction of text or are not shown, and no name of dots only. */
// The document does not show it: validators of JSON schemas do not know its classes of characters.
const FILE_NAME = /^(?!\.*$)[^/\\:\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u;
const FILE_NAME_RULE = '$property must have no path, no control characters and no formatting characters';

/** A new file on a record. Its bytes are sent afterwards. */
export class CreateAttachment {
  @Ignored()
  id?: undefined;

  /**
   * Kind of the record.
   * @example "booking"
   */
  @OneOf(ATTACHMENT_SUBJECT_TYPES)
  subjectType: AttachmentSubjectType;

  /**
   * Record to which the file belongs; `organization` for the organization.
   * @example "book_01k0dem000e000000000000001"
   */
  @Text({ max: MAX_SUBJECT_ID })
  subjectId: string;

  /**
   * Name of the file, without a path and in Unicode's composed form (NFC).
   * @example "rooming-list.pdf"
   */
  @Text({ max: MAX_NAME, composed: true })
  @CheckedText('isFileName', (name) => FILE_NAME.test(name), { max: MAX_NAME, message: FILE_NAME_RULE })
  fileName: string;

  /**
   * Exact size of the file in bytes.
   * @example 48213
   */
  @Whole({ min: 1, max: MAX_FILE_BYTES })
  sizeBytes: number;

  /**
   * `internal`: for staff; `customer`: can be sent to the customer by mail; `sensitive`: encrypted, and only for staff with
   * `customers:sensitive`.
   * @example "internal"
   */
  @OneOf(ATTACHMENT_VISIBILITIES)
  visibility: AttachmentVisibility;
}

export class ListAttachments extends PageQuery {
  /** Only files on records of these kinds. */
  @Optional()
  @AnyOf(ATTACHMENT_SUBJECT_TYPES)
  subjectType?: AttachmentSubjectType[];

  /** Only files on this record. */
  @Optional()
  @Text({ max: MAX_SUBJECT_ID })
  subjectId?: string;

  /** Only files with one of these visibilities. */
  @Optional()
  @AnyOf(ATTACHMENT_VISIBILITIES)
  visibility?: AttachmentVisibility[];

  /** Only files in one of these statuses. */
  @Optional()
  @AnyOf(ATTACHMENT_STATUSES)
  status?: AttachmentStatus[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'updatedAt', 'fileName', 'sizeBytes'])
  sort?: string;
}

/** A file on a record. */
export class AttachmentResponse {
  @Id('att')
  id: string;

  /** Kind of the record. */
  @OneOf(ATTACHMENT_SUBJECT_TYPES)
  subjectType: AttachmentSubjectType;

  /** Record to which the file belongs. */
  @Text({ max: MAX_SUBJECT_ID })
  subjectId: string;

  /** Name of the record; null if it was deleted. */
  @Text({ max: 1_000 })
  subjectTitle: string | null;

  /** Name of the file. A download adds the ending of its type if the name has another one. */
  @Text({ max: MAX_NAME })
  fileName: string;

  /** Size of the file in bytes. */
  @Whole({ min: 1, max: MAX_FILE_BYTES })
  sizeBytes: number;

  /** `sensitive` files are encrypted, and shown only to callers with `customers:sensitive`. */
  @OneOf(ATTACHMENT_VISIBILITIES)
  visibility: AttachmentVisibility;

  /** `refused` after a file of a type that is not supported; another one can be uploaded. */
  @OneOf(ATTACHMENT_STATUSES)
  status: AttachmentStatus;

  /** Type of the file, recognized from its content; null until it is ready. */
  @OneOf(FILE_TYPES)
  contentType: FileType | null;

  /** SHA-256 of the file, hexadecimal; null until it is ready. */
  @Text({ max: 64 })
  sha256: string | null;

  /** User or API token that created it, or `system`. */
  @Text({ max: 100 })
  createdBy: string;

  /** When the file was received completely; null until then. */
  @Instant()
  readyAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** An attachment with the name of its record. */
export interface AttachmentView {
  attachment: Attachment;
  subjectTitle: string | null;
}

export function toAttachment({ attachment, subjectTitle }: AttachmentView): AttachmentResponse {
  return respond(AttachmentResponse, attachment, { subjectTitle });
}

export class AttachmentEnvelope extends dataOf(AttachmentResponse) {}
export class AttachmentPage extends pageOf(AttachmentResponse) {}
