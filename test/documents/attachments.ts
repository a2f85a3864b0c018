import { expect } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import type { One } from '../bookings/bookings.js';
import { type Fetched, fetchFile } from '../finance/renditions/rendering.js';
import type { TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';

export const ATTACHMENTS = '/v1/admin/attachments';

export interface Attachment extends Record<string, unknown> {
  id: string;
  subjectType: string;
  subjectId: string;
  subjectTitle: string | null;
  fileName: string;
  status: string;
  contentType: string | null;
  sha256: string | null;
  version: number;
}

/** A body of a text; each call has its own bytes unless `text` is given. */
export const textFile = (text = `Notes of ${randomUUID()}`) => Buffer.from(text);
export const pdfFile = (text: string = randomUUID()) => Buffer.from(`%PDF-1.7\n% ${text}\n%%EOF\n`);

export async function newAttachment(client: TestClient, subject: object, over: object = {}): Promise<Attachment> {
  const body = { fileName: 'file.txt', sizeBytes: 10, visibility: 'internal', ...subject, ...over };
  const { status, body: answer } = await client.post<One<Attachment>>(ATTACHMENTS, body);
  expect([status, answer.data]).toEqual([201, answer.data]);
  return answer.data;
}

export function putContent(
  client: TestClient,
  id: string,
  content: Buffer,
  headers: Record<string, string> = {},
): Promise<Answer<One<Attachment> & { code: string; details: Record<string, unknown> }>> {
  const type = { 'content-type': 'application/octet-stream' };
  return client.put(`${ATTACHMENTS}/${id}/content`, undefined, { raw: content, headers: { ...type, ...headers } });
}

/** Creates an attachment and uploads its content. */
export async function attached(
  client: TestClient,
  subject: object,
  content: Buffer,
  over: object = {},
): Promise<Attachment> {
  const { id } = await newAttachment(client, subject, { sizeBytes: content.length, ...over });
  const { status, body } = await putContent(client, id, content);
  expect([status, body.data]).toEqual([200, body.data]);
  return body.data;
}

/** Follows the redirect of a download, without a credential. */
export async function downloaded(app: TestApp, client: TestClient, id: string): Promise<Fetched> {
  const { status, headers } = await client.get(`${ATTACHMENTS}/${id}/download`);
  expect(status).toBe(302);
  return fetchFile(app.url + headers['location']);
}

export interface ZipEntry {
  name: string;
  content: Buffer | string;
  /** The size that the directory states, if it is not the true one. */
  statedBytes?: number;
  flags?: number;
}

/** A zip archive of deflated entries. */
function zip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, statedBytes, flags = 0 } of entries) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(statedBytes ?? bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const file = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, place, Buffer.from(name)]));
    files.push(file);
    at += file.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, ...directory, end]);
}

const CONTENT_TYPES = (main: string) =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override
   PartName="/main.xml" ContentType="application/vnd.openxmlformats-officedocument.${main}.main+xml"/></Types>`;

/** A document of Word, or a spreadsheet, with these further entries. */
export function officeFile(kind: 'docx' | 'xlsx', further: readonly ZipEntry[] = []): Buffer {
  const [main, path] =
    kind === 'docx' ? ['wordprocessingml.document', 'word/document.xml'] : ['spreadsheetml.sheet', 'xl/workbook.xml'];
  return zip([
    { name: '[Content_Types].xml', content: CONTENT_TYPES(main ?? '') },
    { name: path ?? '', content: '<document/>' },
    ...further,
  ]);
}
