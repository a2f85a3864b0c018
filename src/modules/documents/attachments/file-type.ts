import { isUtf8 } from 'node:buffer';
import { unprocessable } from '../../../platform/errors/app-error.js';
import { extensible } from '../../../platform/http/named-values.js';
import { officeTypeOf } from './office-file.js';

export const FILE_TYPES = extensible('AttachmentType', [
  'application/pdf',
  'image/jpeg',
  'image/png',
  'image/webp',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'text/plain',
  'text/csv',
]);
export type FileType = (typeof FILE_TYPES)[number];

const [PDF, JPEG, PNG, WEBP, DOCX, XLSX, TXT, CSV] = FILE_TYPES;

/** The names of files of each type end with one of these; the first one is added to other names. */
const EXTENSIONS: Record<FileType, readonly [string, ...string[]]> = {
  [PDF]: ['.pdf'],
  [JPEG]: ['.jpg', '.jpeg'],
  [PNG]: ['.png'],
  [WEBP]: ['.webp'],
  [DOCX]: ['.docx'],
  [XLSX]: ['.xlsx'],
  [TXT]: ['.txt'],
  [CSV]: ['.csv'],
};

/** A program that shows an image decodes all of its pixels, four bytes for each. */
const MAX_PIXELS = 100_000_000;

/** JPEG markers without a segment. */
const STANDALONE = new Set([0x01, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8]);
/** Starts of frames, which state the dimensions: 0xc0 to 0xcf without tables (DHT, JPG, DAC). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

const PNG_SIGNATURE = '89504e470d0a1a0a';
/** What programs take for HTML, SVG or a script, in lower case. */
const MARKUP = ['<!doctype', '<html', '<head', '<body', '<script', '<iframe', '<svg', '<?xml', '<?php'];
/** Control characters that texts have: tab, line feed, form feed, carriage return. */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0c, 0x0d]);

/**
 * Returns the type of a file by its content. Dimensions of images and unpacked sizes of documents are checked before anything is
 * decoded. Throws 422 `file_type_refused` for every other file.
 */
export async function fileTypeOf(bytes: Buffer, fileName: string): Promise<FileType> {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('%PDF-')) return PDF;
  if (bytes.toString('hex', 0, 8) === PNG_SIGNATURE) return withPixels(PNG, sizeOfPng(bytes));
  if (start.startsWith('\xff\xd8\xff')) return withPixels(JPEG, sizeOfJpeg(bytes));
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return withPixels(WEBP, sizeOfWebp(bytes));
  if (start.startsWith('PK\x03\x04')) return officeType(bytes);
  if (isPlainText(bytes)) return fileName.toLowerCase().endsWith('.csv') ? CSV : TXT;
  throw refused('The type of the file is not supported');
}

/** Returns the name under which a file is saved. A name of another type could start a program, so it gets another ending. */
export function savedName(fileName: string, type: FileType): string {
  const endings = EXTENSIONS[type];
  return endings.some((ending) => fileName.toLowerCase().endsWith(ending)) ? fileName : fileName + endings[0];
}

async function officeType(bytes: Buffer): Promise<FileType> {
  const found = await officeTypeOf(bytes);
  if ('fault' in found) throw refused(found.fault);
  return found.kind === 'document' ? DOCX : XLSX;
}

interface Dimensions {
  width: number;
  height: number;
}

function withPixels(type: FileType, size: Dimensions | null): FileType {
  if (size === null || size.width === 0 || size.height === 0) throw refused('The image has no dimensions');
  if (size.width * size.height <= MAX_PIXELS) return type;
  throw refused('The image has too many pixels', { maxPixels: MAX_PIXELS });
}

function sizeOfPng(bytes: Buffer): Dimensions | null {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function sizeOfJpeg(bytes: Buffer): Dimensions | null {
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) at += 1;
    else if (STANDALONE.has(marker)) at += 2;
    else if (isFrame(marker)) {
      return at + 9 <= bytes.length ? { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) } : null;
    } else {
      at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
    }
  }
  return null;
}

/** The three forms of WebP: lossy, lossless and extended. */
function sizeOfWebp(bytes: Buffer): Dimensions | null {
  if (bytes.length < 30) return null;
  const form = bytes.toString('latin1', 12, 16);
  if (form === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (form === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (form !== 'VP8L') return null;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** UTF-8 without control characters and without markup, which a browser might show as a page. */
function isPlainText(bytes: Buffer): boolean {
  if (!isUtf8(bytes)) return false;
  if (bytes.some((byte) => (byte < 0x20 && !TEXT_CONTROLS.has(byte)) || byte === 0x7f)) return false;
  const text = bytes.toString('latin1').toLowerCase();
  return !MARKUP.some((mark) => text.includes(mark));
}

function refused(message: string, details: object = {}) {
  return unprocessable('file_type_refused', message, { ...details, field: 'body', allowed: [...FILE_TYPES] });
}
