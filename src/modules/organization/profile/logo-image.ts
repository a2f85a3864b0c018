import { crc32, inflate } from 'node:zlib';
import { promisify } from 'node:util';
import { unprocessable } from '../../../platform/errors/app-error.js';
import type { Logo } from './issuer-copy.js';

export const MAX_LOGO_BYTES = 524_288;
const MAX_SIDE = 4_096;
const MAX_PIXELS = 4_194_304;

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Samples of a pixel by color type; other types do not exist. */
const PNG_SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Frames with Huffman coding: baseline, extended and progressive. PDF viewers support only these. */
const JPEG_FRAMES = [0xc0, 0xc1, 0xc2];
const JPEG_OTHER_FRAMES = [0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf];

const inflated = promisify(inflate);

type Image = Pick<Logo, 'type' | 'widthPixels' | 'heightPixels'>;

/**
 * Reads type and dimensions of a logo from its content, and checks the dimensions before decoding anything. The file must end
 * with the image, because a file may be valid in two formats at once.
 */
export async function readLogoImage(bytes: Buffer): Promise<Image> {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return readPng(bytes);
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return readJpeg(bytes);
  throw unprocessable('file_type_refused', 'The file must be a PNG or JPEG image', {
    field: 'body',
    allowed: ['image/png', 'image/jpeg'],
  });
}

async function readPng(bytes: Buffer): Promise<Image> {
  const chunks = chunksOf(bytes);
  const [header, ...others] = chunks;
  if (header?.type !== 'IHDR' || header.data.length !== 13) throw damaged('The PNG header is missing');
  const [widthPixels, heightPixels] = [header.data.readUInt32BE(0), header.data.readUInt32BE(4)];
  assertDimensions(widthPixels, heightPixels);
  const [bitDepth = 0, colorType = 0, , , interlace = 0] = header.data.subarray(8);
  const samples = PNG_SAMPLES[colorType];
  if (samples === undefined || ![1, 2, 4, 8, 16].includes(bitDepth) || interlace > 1) {
    throw damaged('The PNG header is invalid');
  }
  if (others.some(({ type }) => type === 'IHDR') || others.at(-1)?.type !== 'IEND')
    throw damaged('The PNG is not whole');
  const data = Buffer.concat(others.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data));
  const size = { widthPixels, heightPixels, bitsPerPixel: samples * bitDepth };
  await assertPixels(data, interlace === 0 ? rowsOf(size) : interlacedRowsOf(size));
  return { type: 'image/png', widthPixels, heightPixels };
}

/** Rejects truncated chunks, wrong checksums, and bytes after the last chunk. */
function chunksOf(bytes: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let at = PNG_SIGNATURE.length; at < bytes.length;) {
    if (at + 12 > bytes.length) throw damaged('The PNG is truncated');
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length) throw damaged('The PNG is truncated');
    const checked = bytes.subarray(at + 4, end - 4);
    // Do not trust the dimensions of a file with a wrong checksum.
    if (crc32(checked) !== bytes.readUInt32BE(end - 4)) throw damaged('A checksum of the PNG is wrong');
    const type = checked.subarray(0, 4).toString('latin1');
    chunks.push({ type, data: checked.subarray(4) });
    if (type === 'IEND' && end !== bytes.length) throw damaged('Bytes follow the end of the PNG');
    at = end;
  }
  return chunks;
}

interface Raster {
  widthPixels: number;
  heightPixels: number;
  bitsPerPixel: number;
}

/** Each row begins with the byte of its filter. */
function rowsOf({ widthPixels, heightPixels, bitsPerPixel }: Raster): number {
  if (widthPixels === 0 || heightPixels === 0) return 0;
  return heightPixels * (1 + Math.ceil((widthPixels * bitsPerPixel) / 8));
}

/** Adam7 has seven passes, each with its first column, first row, and distances. */
function interlacedRowsOf({ widthPixels, heightPixels, bitsPerPixel }: Raster): number {
  const passes = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const;
  const countOf = (length: number, first: number, distance: number) =>
    Math.max(0, Math.ceil((length - first) / distance));
  return passes.reduce((sum, [x, y, dx, dy]) => {
    const pass = { widthPixels: countOf(widthPixels, x, dx), heightPixels: countOf(heightPixels, y, dy), bitsPerPixel };
    return sum + rowsOf(pass);
  }, 0);
}

/** The pixels must inflate to exactly this size: a small file may inflate to gigabytes in the renderer. */
async function assertPixels(data: Buffer, expected: number): Promise<void> {
  const pixels = await inflated(data, { maxOutputLength: expected + 1 }).catch(() => null);
  if (pixels?.length !== expected) throw damaged('The pixels of the PNG are not whole');
}

function readJpeg(bytes: Buffer): Image {
  let frame: { widthPixels: number; heightPixels: number } | null = null;
  let hasScan = false;
  for (let at = 2; ;) {
    if (at + 2 > bytes.length || bytes[at] !== 0xff) throw damaged('The JPEG is truncated');
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xd9) {
      if (frame === null || !hasScan) throw damaged('The JPEG is not whole');
      if (at + 2 !== bytes.length) throw damaged('Bytes follow the end of the JPEG');
      return { type: 'image/jpeg', ...frame };
    }
    if (at + 4 > bytes.length) throw damaged('The JPEG is truncated');
    const length = bytes.readUInt16BE(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) throw damaged('The JPEG is truncated');
    if (JPEG_OTHER_FRAMES.includes(marker)) throw damaged('The coding of the JPEG is not supported');
    if (JPEG_FRAMES.includes(marker)) {
      if (frame !== null || length < 8) throw damaged('The JPEG header is invalid');
      frame = { heightPixels: bytes.readUInt16BE(at + 5), widthPixels: bytes.readUInt16BE(at + 7) };
      assertDimensions(frame.widthPixels, frame.heightPixels);
      const [bits, components] = [bytes[at + 4], bytes[at + 9]];
      if (bits !== 8 || (components !== 1 && components !== 3))
        throw damaged('The coding of the JPEG is not supported');
    }
    at = end;
    if (marker === 0xda) {
      hasScan = true;
      at = endOfScan(bytes, at);
    }
  }
}

/** The position of the marker behind the coded pixels, in which 0xff is followed by 0 or by a restart marker. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at !== -1; at = bytes.indexOf(0xff, at + 2)) {
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw damaged('The JPEG is truncated');
}

function assertDimensions(widthPixels: number, heightPixels: number): void {
  if (widthPixels === 0 || heightPixels === 0) throw damaged('The image has no pixels');
  if (widthPixels <= MAX_SIDE && heightPixels <= MAX_SIDE && widthPixels * heightPixels <= MAX_PIXELS) return;
  throw unprocessable('image_too_large', `The image must have at most ${MAX_SIDE} pixels a side and 4 megapixels`, {
    field: 'body',
    widthPixels,
    heightPixels,
    maxSidePixels: MAX_SIDE,
    maxPixels: MAX_PIXELS,
  });
}

function damaged(message: string) {
  return unprocessable('image_damaged', message, { field: 'body' });
}
