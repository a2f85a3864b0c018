import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { assertScope, checkScope, hasScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { Listeners, Listens } from '../../../platform/discovery/listeners.js';
import { AppError, conflict, notFound, unavailable, unprocessable } from '../../../platform/errors/app-error.js';
import { EnclosedFiles } from '../../../platform/files/enclosed-files.js';
import { FileLinks } from '../../../platform/files/file-links.js';
import { StatedSizes } from '../../../platform/http/body-parsers.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  assertUnchangedSince,
  byVersion,
  type RecordedAction,
  Reverses,
  type ReversalResult,
  Undoes,
} from '../../action-ledger/index.js';
import { ATTACHMENT_SUBJECT_TYPES, AttachmentSubjects, type AttachmentSubjectType } from './attachment-subjects.js';
import type { AttachmentView, CreateAttachment, ListAttachments } from './attachment.dto.js';
import {
  Attachment,
  ATTACHMENT_VISIBILITIES,
  type AttachmentVisibility,
  fileMissing,
  type ReceivedFile,
} from './attachment.entity.js';
import { AttachmentsRepository } from './attachments.repository.js';
import { fileTypeOf, savedName } from './file-type.js';

const SENSITIVE = 'customers:sensitive';
const CONTENT_PATH = /^\/v1\/admin\/attachments\/(att_[0-9a-z]{26})\/content\/?$/i;

/** An attachment as a mail carries it. */
interface MailableAttachment {
  subjectId: string;
  fileName: string;
  contentType: string;
  sizeBytes: number;
}

/** Files on records. Each needs the scope of its record, and a sensitive one `customers:sensitive`. */
@Injectable()
@Listens(StatedSizes, 10)
export class AttachmentsService implements StatedSizes {
  constructor(
    private readonly database: Database,
    private readonly repository: AttachmentsRepository,
    private readonly enclosed: EnclosedFiles,
    private readonly links: FileLinks,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async create(
    input: CreateAttachment,
    { id = newId('att'), createdBy = currentActor().principal }: { id?: string; createdBy?: string } = {},
  ): Promise<AttachmentView> {
    this.assertWritable(input);
    const attachment = make(Attachment, {
      ...{ ...input, id, createdBy, status: 'uploading' },
      createdAt: this.clock.now(),
    });
    return this.database.transaction(async () => {
      await this.listeners.one(AttachmentSubjects).lock(attachment);
      await this.repository.rows.insert(attachment);
      this.record('create', attachment, null);
      return this.repository.get(id);
    });
  }

  async list(query: ListAttachments): Promise<{ views: AttachmentView[]; total: number }> {
    const { subjectType, visibility } = query;
    for (const type of subjectType ?? []) checkScope(this.readScopeOf(type));
    if (visibility?.includes('sensitive') === true) checkScope(SENSITIVE);
    const types = subjectType ?? ATTACHMENT_SUBJECT_TYPES.filter((type) => hasScope(this.readScopeOf(type)));
    const visibilities =
      visibility ?? ATTACHMENT_VISIBILITIES.filter((one) => one !== 'sensitive' || hasScope(SENSITIVE));
    return this.repository.list(query, { types, visibilities });
  }

  async get(id: string): Promise<AttachmentView> {
    const view = await this.repository.get(id);
    this.assertReadable(view.attachment);
    return view;
  }

  /** The size of the file whose content is sent to this path. Throws 403 if the caller may not send it, and 404 if it is unknown. */
  async sizeOf(path: string): Promise<number | null> {
    const id = CONTENT_PATH.exec(path)?.[1]?.toLowerCase();
    if (id === undefined) return null;
    checkScope('documents:write');
    const stated = await this.repository.statedSizeOf(id);
    if (stated === null) throw notFound();
    checkScope(this.writeScopeOf(stated.subjectType));
    if (stated.visibility === 'sensitive') checkScope(SENSITIVE);
    return stated.sizeBytes;
  }

  /**
   * Stores the content of an attachment. Sending the same content again changes nothing. Commits by itself, because the file is
   * stored between its transactions.
   */
  async upload(id: string, content: Buffer, expected: ExpectedVersions): Promise<AttachmentView> {
    const { attachment } = await this.repository.get(id);
    this.assertWritable(attachment);
    const sha256 = createHash('sha256').update(content).digest('hex');
    if (isSame(attachment, sha256)) return this.repository.get(id);
    assertOpen(attachment);
    assertVersion(expected, attachment);
    assertSize(content, attachment);
    const contentType = await fileTypeOf(content, attachment.fileName).catch(async (error: unknown) => {
      if (error instanceof AppError) await this.refuse(id);
      throw error;
    });
    const enclosure = await this.enclosed.enclose(content, attachment.sealedFor);
    await this.repository.addContent(enclosure.key, this.clock.now());
    await this.enclosed.put(enclosure);
    await this.complete(id, { contentType, sha256, contentKey: enclosure.key });
    return this.repository.get(id);
  }

  /** Returns the path of a signed link to the file. The ledger records each link to a sensitive file. */
  async linkTo(id: string): Promise<string> {
    const { attachment } = await this.get(id);
    const { visibility, fileName, contentType, sealedFor } = attachment;
    const key = attachment.downloadable();
    if (!contentType || !(await this.enclosed.has(key))) throw fileMissing();
    if (visibility === 'sensitive') {
      await this.database.transaction(async () => {
        const subject = { subjectType: 'attachment', subjectId: id };
        this.ledger.record('documents.attachment.download', { ...subject, before: null, after: subjectOf(attachment) });
        return Promise.resolve();
      });
    }
    // Browsers show nothing of this type.
    const file = { key, name: savedName(fileName, contentType), type: 'application/octet-stream', sealedFor };
    return (await this.links.linkTo(file, currentActor().credentialId)).path;
  }

  /**
   * Returns an attachment that a mail to a customer can carry. Throws 403 unless the caller may read it; 404; 409 `file_not_ready`;
   * 422 `attachment_internal` or `attachment_sensitive`. The calling method checks the record.
   */
  async getMailable(id: string, field: string): Promise<MailableAttachment> {
    const attachment = await this.repository.rows.find(id);
    if (!attachment || attachment.deletedAt !== null) throw notFound({ field });
    const { subjectType, subjectId, fileName, contentType, sizeBytes, status, visibility } = attachment;
    assertScope(this.readScopeOf(subjectType));
    if (visibility === 'sensitive') {
      throw unprocessable('attachment_sensitive', 'A sensitive file is not sent by mail', { field });
    }
    if (visibility === 'internal') {
      throw unprocessable('attachment_internal', 'An internal file is not sent to customers', { field });
    }
    if (contentType === null) throw conflict('file_not_ready', `The file is ${status}`, { field, status });
    return { subjectId, fileName: savedName(fileName, contentType), contentType, sizeBytes };
  }

  /** Throws 403 unless the caller may read the attachment. Does nothing if it does not exist. */
  async assertReadableIfPresent(id: string): Promise<void> {
    const attachment = await this.repository.rows.find(id);
    if (attachment) assertScope(this.readScopeOf(attachment.subjectType));
  }

  /** Returns the content of an attachment that is not sensitive; null if it was deleted. */
  async findContent(id: string): Promise<Buffer | null> {
    const attachment = await this.repository.rows.find(id);
    if (!attachment || attachment.deletedAt !== null || attachment.contentKey === null) return null;
    return this.enclosed.read(attachment.contentKey, attachment.sealedFor);
  }

  /** Deletes the attachment. Its bytes are kept for some days, so that this can be reversed. */
  @Undoes('documents.attachment.create', { effect: 'documents.attachment.delete', values: byVersion })
  async delete(id: string, expected: ExpectedVersions): Promise<AttachmentView> {
    return this.database.transaction(async () => {
      const attachment = await this.repository.lock(id);
      this.assertWritable(attachment);
      assertVersion(expected, attachment);
      const { subjectTitle } = await this.repository.get(id);
      const before = attachment.auditImage();
      attachment.delete(this.clock.now());
      await this.repository.rows.update(attachment);
      this.record('delete', attachment, before);
      return { attachment, subjectTitle };
    });
  }

  /** Restores the attachment. */
  @Reverses('documents.attachment.delete', { effect: 'documents.attachment.create' })
  async reverseDelete(entry: RecordedAction): Promise<ReversalResult> {
    const attachment = await this.repository.rows.lock(entry.subjectId);
    this.assertWritable(attachment);
    assertUnchangedSince(entry, attachment);
    await this.listeners.one(AttachmentSubjects).lock(attachment);
    const before = attachment.auditImage();
    attachment.restore(this.clock.now());
    await this.repository.rows.update(attachment);
    return { before, after: attachment.auditImage() };
  }

  private async complete(id: string, file: ReceivedFile): Promise<void> {
    await this.database.transaction(async () => {
      const attachment = await this.repository.lock(id);
      if (isSame(attachment, file.sha256)) return;
      assertOpen(attachment);
      if (!(await this.repository.lockContent(file.contentKey))) {
        throw unavailable('The same file was deleted during the upload; send it again');
      }
      const before = attachment.auditImage();
      attachment.complete(file, this.clock.now());
      await this.repository.rows.update(attachment);
      this.record('upload', attachment, before);
      const { subjectType, subjectId, contentType, sizeBytes, visibility, version } = attachment;
      this.outbox.add({
        channel: 'documents.attachments',
        event: 'attachment.ready',
        data: { attachmentId: id, subjectType, subjectId, contentType, sizeBytes, visibility, version },
      });
    });
  }

  private async refuse(id: string): Promise<void> {
    await this.database.transaction(async () => {
      const attachment = await this.repository.lock(id);
      if (attachment.status !== 'uploading') return;
      const before = attachment.auditImage();
      attachment.refuse(this.clock.now());
      await this.repository.rows.update(attachment);
      this.record('upload', attachment, before);
    });
  }

  private assertReadable({ subjectType, visibility }: Attachment): void {
    checkScope(this.readScopeOf(subjectType));
    if (visibility === 'sensitive') checkScope(SENSITIVE);
  }

  private assertWritable({
    subjectType,
    visibility,
  }: {
    subjectType: AttachmentSubjectType;
    visibility: AttachmentVisibility;
  }): void {
    assertScope(this.writeScopeOf(subjectType));
    if (visibility === 'sensitive') assertScope(SENSITIVE);
  }

  private readScopeOf(type: AttachmentSubjectType): string {
    return this.listeners.one(AttachmentSubjects).subjectOf(type).readScope;
  }

  private writeScopeOf(type: AttachmentSubjectType): string {
    return this.listeners.one(AttachmentSubjects).subjectOf(type).writeScope;
  }

  private record(verb: 'create' | 'upload' | 'delete', attachment: Attachment, before: object | null): void {
    const subject = { subjectType: 'attachment', subjectId: attachment.id };
    this.ledger.record(`documents.attachment.${verb}`, { ...subject, before, after: attachment.auditImage() });
  }
}

function subjectOf({ subjectType, subjectId, visibility }: Attachment): object {
  return { subjectType, subjectId, visibility };
}

function isSame({ status, sha256 }: Attachment, received: string): boolean {
  return status === 'ready' && sha256 === received;
}

function assertOpen({ id, status }: Attachment): void {
  if (status === 'ready')
    throw conflict('attachment_ready', 'The file has already been uploaded', { attachmentId: id });
}

function assertSize({ length }: Buffer, { sizeBytes }: Attachment): void {
  if (length === sizeBytes) return;
  throw unprocessable('file_size_mismatch', 'The file does not have its stated size', { field: 'body', sizeBytes });
}
