import { createHash } from 'node:crypto';
import { constants, brotliCompress, gzip } from 'node:zlib';
import { promisify } from 'node:util';
import type { Request, Response } from 'express';

const ENCODINGS = ['br', 'gzip', 'identity'] as const;
type Encoding = (typeof ENCODINGS)[number];

const compress: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  // Quality 11 takes ten times as long as 5 for 10 % less.
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
  identity: async (bytes) => bytes,
};

/** A file that is the same for every caller. It is compressed once per encoding, off the main thread. */
export class PreparedFile {
  private readonly encoded = new Map<Encoding, Promise<Buffer>>();
  private readonly hash: string;

  constructor(
    private readonly bytes: Buffer,
    private readonly type: string,
    private readonly cacheControl: string,
  ) {
    this.hash = createHash('sha256').update(bytes).digest('base64url');
  }

  /** Sends the file in the encoding that the caller prefers; 304 if the caller has it. Each encoding has its own ETag. */
  async send(request: Request, response: Response): Promise<void> {
    const encoding = encodingFor(request);
    const bytes = await this.in(encoding);
    response.vary('Accept-Encoding').type(this.type);
    response.set({ ETag: `"${this.hash}-${encoding}"`, 'Cache-Control': this.cacheControl });
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    // Express responds with 304 if If-None-Match contains the ETag.
    response.send(bytes);
  }

  private in(encoding: Encoding): Promise<Buffer> {
    const known = this.encoded.get(encoding);
    if (known) return known;
    const bytes = compress[encoding](this.bytes);
    this.encoded.set(encoding, bytes);
    return bytes;
  }
}

/** Without the header nothing is compressed, although HTTP would permit it: simple clients do not decompress. */
function encodingFor(request: Request): Encoding {
  if (request.headers['accept-encoding'] === undefined) return 'identity';
  const accepted = request.acceptsEncodings([...ENCODINGS]);
  return ENCODINGS.find((encoding) => encoding === accepted) ?? 'identity';
}
