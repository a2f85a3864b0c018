import { Injectable } from '@nestjs/common';
import { assertScope } from '../../../platform/auth/access.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { unprocessable } from '../../../platform/errors/app-error.js';
import { AttachmentsService, RecordDocumentsService } from '../../documents/index.js';

/** Mail servers reject larger mails; the encoding of files adds a third. */
const MAX_ATTACHED_BYTES = 10_485_760;
/** Limits what a recipient downloads from the links of one mail. */
const MAX_BYTES = 104_857_600;

/**
 * The kinds of files that a mail carries. The id is that of an attachment, of a document, of a rendition, or of a booking with
 * vouchers.
 */
export type MessageFileSource = 'attachment' | 'document' | 'invoice' | 'vouchers';

/** Sending a document needs the scope to read it. */
const SCOPES: Record<MessageFileSource, string> = {
  attachment: 'documents:read',
  document: 'documents:read',
  invoice: 'finance:receivables',
  vouchers: 'bookings:read',
};

/** A file of a message. Its bytes are read when the mail is sent. */
export interface MessageFile {
  source: MessageFileSource;
  id: string;
  fileName: string;
  contentType: string;
  sizeBytes: number;
}

/** A file as a mail carries it. */
export interface MailFile {
  fileName: string;
  contentType: string;
  content: Buffer;
}

/** Reads the documents that mails carry. The module of the documents implements it with `@Listens(DocumentFiles, ...)`. */
export abstract class DocumentFiles {
  abstract readonly source: MessageFileSource;
  /** Returns the bytes; null if the document no longer exists. Throws 503 if they cannot be read now. */
  abstract read(id: string): Promise<Buffer | null>;
}

/** Reads the files of messages. */
@Injectable()
export class MessageFiles {
  constructor(
    private readonly listeners: Listeners,
    private readonly attachments: AttachmentsService,
    private readonly documents: RecordDocumentsService,
  ) {}

  /**
   * Returns the files to attach. Returns null if one of the files no longer exists, also one to link: a mail is not sent without a
   * file that its text mentions.
   */
  async read(files: readonly MessageFile[]): Promise<MailFile[] | null> {
    const linked = linkedFiles(files);
    const found: MailFile[] = [];
    for (const [index, file] of files.entries()) {
      const content = await this.find(file);
      if (content === null) return null;
      const { fileName, contentType } = file;
      if (!linked.includes(index)) found.push({ fileName, contentType, content });
    }
    return found;
  }

  /** Throws 403 unless the caller may send these files. */
  async assertSendable(files: readonly MessageFile[]): Promise<void> {
    for (const { source, id } of files) {
      assertScope(SCOPES[source]);
      if (source === 'attachment') await this.attachments.assertReadableIfPresent(id);
      if (source === 'document') await this.documents.assertReadableIfPresent(id);
    }
  }

  /** Returns the content of a file; null if it no longer exists. */
  async find({ source, id }: MessageFile): Promise<Buffer | null> {
    if (source === 'attachment') return this.attachments.findContent(id);
    if (source === 'document') return this.documents.findContent(id);
    const documents = this.listeners.all(DocumentFiles).find((one) => one.source === source);
    return (await documents?.read(id)) ?? null;
  }
}

/** Returns the positions of the files that a mail links, because those before them fill it. */
export function linkedFiles(files: readonly Pick<MessageFile, 'sizeBytes'>[]): number[] {
  let attachedBytes = 0;
  return files.flatMap(({ sizeBytes }, index) => {
    if (attachedBytes + sizeBytes > MAX_ATTACHED_BYTES) return [index];
    attachedBytes += sizeBytes;
    return [];
  });
}

/** Throws 422 `files_too_large` if a mail can neither carry nor link all of these files. */
export function assertMailable(files: readonly Pick<MessageFile, 'sizeBytes'>[], field: string): void {
  const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (totalBytes <= MAX_BYTES) return;
  const details = { field, totalBytes, maxBytes: MAX_BYTES };
  throw unprocessable('files_too_large', 'The files are too large for a mail', details);
}
