import { pipeline, Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { createInflateRaw, inflateRaw } from 'node:zlib';

const MAX_ENTRIES = 5_000;
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;
const MAX_TYPES_BYTES = 1024 * 1024;

const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50];
const END_BYTES = 22;
const [STORED, DEFLATED] = [0, 8];
/** The entry, or the central directory, is encrypted. */
const ENCRYPTED = 0x2041;

const TYPES = '[Content_Types].xml';
/** Parts that contain programs, in lower case. */
const PROGRAMS = ['vbaproject', 'vbadata', 'macrosheets/', 'activex/', 'dialogsheets/', 'customui/'];
const MACRO_TYPES = ['macroenabled', 'vbaproject', 'ms-office.activex'];
const MAIN_TYPES = {
  document: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
  workbook: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
} as const;

export type OfficeFile = { kind: keyof typeof MAIN_TYPES } | { fault: string };

interface Entry {
  name: string;
  method: number;
  packedBytes: number;
  unpackedBytes: number;
  /** Position of its local header. */
  at: number;
}

class Fault extends Error {}

const inflated = promisify(inflateRaw);

/**
 * Reads what a zip archive contains: a text document, a spreadsheet, or something that is rejected with its reason. Entries and
 * their stated sizes are bounded first, and each one is unpacked, without keeping it, only up to its stated size.
 */
export async function officeTypeOf(bytes: Buffer): Promise<OfficeFile> {
  try {
    const entries = entriesOf(bytes);
    const names = entries.map(({ name }) => name.toLowerCase());
    if (names.some((name) => PROGRAMS.some((program) => name.includes(program)))) {
      throw new Fault('Documents with macros are not accepted');
    }
    const kind = await kindOf(bytes, entries);
    for (const entry of entries) await assertUnpackedSize(bytes, entry);
    return { kind };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message };
    throw error;
  }
}

async function kindOf(bytes: Buffer, entries: readonly Entry[]): Promise<keyof typeof MAIN_TYPES> {
  const part = entries.find(({ name }) => name === TYPES);
  if (!part || part.unpackedBytes > MAX_TYPES_BYTES) throw new Fault('The archive is not a document');
  const packed = contentOf(bytes, part);
  const content =
    part.method === STORED
      ? packed
      : await inflated(packed, { maxOutputLength: MAX_TYPES_BYTES }).catch(() => {
          throw new Fault('The archive is damaged');
        });
  const types = content.toString('utf8').toLowerCase();
  if (MACRO_TYPES.some((type) => types.includes(type))) throw new Fault('Documents with macros are not accepted');
  if (types.includes(MAIN_TYPES.document)) return 'document';
  if (types.includes(MAIN_TYPES.workbook)) return 'workbook';
  throw new Fault('The archive is not a document');
}

/** Reads the central directory, which must be the only content at the end of the file. */
function entriesOf(bytes: Buffer): Entry[] {
  const end = endOf(bytes);
  const [count, length, start] = [
    bytes.readUInt16LE(end + 10),
    bytes.readUInt32LE(end + 12),
    bytes.readUInt32LE(end + 16),
  ];
  const isOneDisk = bytes.readUInt32LE(end + 4) === 0 && bytes.readUInt16LE(end + 8) === count;
  // The larger form (Zip64) states 0xffff entries; no file of this size needs it.
  if (!isOneDisk || count === 0 || count > MAX_ENTRIES || start + length !== end) {
    throw new Fault('The directory of the archive is not valid');
  }
  const entries: Entry[] = [];
  let unpacked = 0;
  for (let at = start; entries.length < count;) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== CENTRAL) {
      throw new Fault('The directory of the archive is not valid');
    }
    if ((bytes.readUInt16LE(at + 8) & ENCRYPTED) !== 0) throw new Fault('Encrypted files are not accepted');
    const next = at + 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    if (next > end) throw new Fault('The directory of the archive is not valid');
    const entry = {
      name: bytes.toString('utf8', at + 46, at + 46 + bytes.readUInt16LE(at + 28)),
      method: bytes.readUInt16LE(at + 10),
      packedBytes: bytes.readUInt32LE(at + 20),
      unpackedBytes: bytes.readUInt32LE(at + 24),
      at: bytes.readUInt32LE(at + 42),
    };
    unpacked += entry.unpackedBytes;
    if (unpacked > MAX_UNPACKED_BYTES) throw new Fault('The unpacked document is too large');
    entries.push(entry);
    at = next;
  }
  if (new Set(entries.map(({ name }) => name)).size < entries.length) {
    throw new Fault('The archive has duplicate entries');
  }
  return entries;
}

/** The end of the directory, with its comment, must be the end of the file: two readers could see different archives otherwise. */
function endOf(bytes: Buffer): number {
  const end = bytes.length - END_BYTES;
  if (end >= 0 && bytes.readUInt32LE(end) === END && bytes.readUInt16LE(end + 20) === 0) return end;
  throw new Fault('The archive has no valid end');
}

function contentOf(bytes: Buffer, { at, packedBytes, name }: Entry): Buffer {
  const isHeader = at + 30 <= bytes.length && bytes.readUInt32LE(at) === LOCAL;
  if (!isHeader) throw new Fault('The archive is damaged');
  const nameEnd = at + 30 + bytes.readUInt16LE(at + 26);
  const start = nameEnd + bytes.readUInt16LE(at + 28);
  const isSame = bytes.toString('utf8', at + 30, nameEnd) === name && (bytes.readUInt16LE(at + 6) & ENCRYPTED) === 0;
  if (!isSame || start + packedBytes > bytes.length) throw new Fault('The archive is damaged');
  return bytes.subarray(start, start + packedBytes);
}

/** A stated size may be wrong: the unpacking ends where the entry exceeds it. */
async function assertUnpackedSize(bytes: Buffer, entry: Entry): Promise<void> {
  const packed = contentOf(bytes, entry);
  const isWhole =
    entry.method === STORED
      ? packed.length === entry.unpackedBytes
      : entry.method === DEFLATED && (await unpacksTo(packed, entry.unpackedBytes));
  if (!isWhole) throw new Fault('The archive is damaged');
}

function unpacksTo(packed: Buffer, expected: number): Promise<boolean> {
  let size = 0;
  const counted = new Writable({
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      done(size > expected ? new Fault('The entry is larger than stated') : null);
    },
  });
  return new Promise((resolve) => {
    pipeline(Readable.from([packed]), createInflateRaw(), counted, (error) => resolve(!error && size === expected));
  });
}
