import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Controller, Get, type PipeTransform, Res, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiProduces } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../auth/access.js';
import { notFound } from '../errors/app-error.js';
import { setResponseHeader } from '../http/response-headers.js';
import { PathText } from '../http/path-id.js';
import { FileLinks, type LinkedFile } from './file-links.js';
import { ApiGroup } from '../http/api-group.js';
import { EnclosedFiles } from './enclosed-files.js';
import { FileStore, type OpenFile } from './file-store.js';
import { Listeners } from '../discovery/listeners.js';
import { MailedFiles } from './mailed-files.js';

/** A signed link, or a link of a mail. */
const TOKEN = /^(?:[A-Za-z0-9_-]{20,1400}\.[A-Za-z0-9_-]{22}|[0-9a-z]{51})$/;
/** Other names are also sent in the encoding of RFC 6266. */
const PLAIN_NAME = /^[A-Za-z0-9._-]*$/;
const DESCRIPTION =
  'Token from the signed link of the file, or from a link in a mail. Copy it from `data.url` of `POST /v1/admin/finance/invoice-renditions/{id}/links`, or from `Location` of the download.';
/** The form of a token; a real one is signed and known only from the response that returned it. */
const EXAMPLE = `${Buffer.from('["<sha256>","INV-2027-0001.pdf","application/pdf",0]').toString('base64url')}.${'A'.repeat(22)}`;
/** Chromium draws a PDF with its own style and object; only pages of this origin may frame it. */
const PDF_POLICY = "default-src 'none';style-src 'unsafe-inline';object-src 'self';frame-ancestors 'self'";
const PDF = 'application/pdf';
const PDF_START = '%PDF-';
const TYPES = [PDF, 'text/html', 'application/octet-stream'];
const BINARY = { type: 'string', format: 'binary', description: 'The whole file; the example shows how it begins.' };

/** A malformed token is rejected like an expired one. */
class TokenPipe implements PipeTransform<string, string> {
  transform(value: string): string {
    if (!TOKEN.test(value)) throw notFound();
    return value;
  }
}

/** Files that are downloaded with a signed link. */
@ApiGroup('Storefront')
@Controller('v1/files')
export class FilesController {
  constructor(
    private readonly links: FileLinks,
    private readonly files: FileStore,
    private readonly enclosed: EnclosedFiles,
    private readonly listeners: Listeners,
  ) {}

  /**
   * Download a file by signed link
   *
   * @remarks Returns the file as an attachment, or a PDF as `inline` if its link was requested so; pages of the same origin can
   * then frame it. The token in the path is the only credential needed; it is part of a link that another response returned and
   * is valid for five minutes, but not longer than the session or API token that asked for it. Links in mails, for files that are too
   * large to attach, are valid for seven days. An invalid or expired token, or a deleted file, is not found.
   */
  @Get(':token')
  @Public()
  @ApiProduces(...TYPES)
  @ApiOkResponse({ description: 'The bytes of the file, in the format that was ordered', schema: BINARY })
  async download(
    @PathText('token', { description: DESCRIPTION, maxLength: 1500, pattern: TOKEN, example: EXAMPLE }, new TokenPipe())
    token: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    setResponseHeader('Cache-Control', 'private, no-store');
    setResponseHeader('Referrer-Policy', 'no-referrer');
    if (!token.includes('.')) return this.openMailed(token);
    const linked = await this.links.open(token);
    const file = linked && (await this.open(linked));
    if (!linked || !file) throw notFound();
    // Nothing else is displayed in the browser under this origin, because the content is not trusted.
    const isShown = await isDisplayable(linked, file.stream);
    if (isShown) {
      setResponseHeader('Content-Security-Policy', PDF_POLICY);
      response.removeHeader('X-Frame-Options');
    }
    return new StreamableFile(file.stream, {
      type: linked.type,
      disposition: dispositionOf(isShown ? 'inline' : 'attachment', linked.name),
      length: file.sizeBytes,
    });
  }

  /** Files from mails are never displayed. */
  private async openMailed(token: string): Promise<StreamableFile> {
    const file = await this.listeners.all(MailedFiles)[0]?.open(token);
    if (!file) throw notFound();
    return new StreamableFile(file.content, {
      type: 'application/octet-stream',
      disposition: dispositionOf('attachment', file.fileName),
      length: file.content.length,
    });
  }

  private async open({ key, sealedFor }: LinkedFile): Promise<OpenFile | null> {
    return sealedFor === undefined ? this.files.open(key) : this.enclosed.open(key, sealedFor);
  }
}

function dispositionOf(kind: 'inline' | 'attachment', name: string): string {
  if (PLAIN_NAME.test(name)) return `${kind}; filename="${name}"`;
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `${kind}; filename="${name.replace(/[^A-Za-z0-9._ -]/g, '_')}"; filename*=UTF-8''${encoded}`;
}

async function isDisplayable({ inline, type }: LinkedFile, stream: Readable): Promise<boolean> {
  if (!inline || type !== PDF) return false;
  const start = await beginningOf(stream);
  return start !== null && start.toString('latin1', 0, PDF_START.length) === PDF_START;
}

/** The first bytes of a stream, which still delivers them; null if it is empty. */
async function beginningOf(stream: Readable): Promise<Buffer | null> {
  let chunk = stream.read() as Buffer | null;
  if (chunk === null && !stream.readableEnded) {
    await once(stream, 'readable');
    chunk = stream.read() as Buffer | null;
  }
  if (chunk !== null) stream.unshift(chunk);
  return chunk;
}
