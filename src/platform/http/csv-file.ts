import { once } from 'node:events';
import type { PassThrough, Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';

/** Most rows of a CSV file. */
export const MAX_CSV_ROWS = 100_000;
/** Must be shorter than the time after which the database ends the transaction of an export that reads nothing. */
const PATIENCE_MS = 9_000;

/** A CSV file that is downloaded under this name. */
export function csvFile(stream: Readable, name: string): StreamableFile {
  const file = new StreamableFile(stream, {
    type: 'text/csv; charset=utf-8; header=present',
    disposition: `attachment; filename="${name}.csv"`,
  });
  // After an error, the closed connection shows the client that the file is incomplete.
  return file.setErrorHandler((_, response) => {
    if ('destroy' in response && typeof response.destroy === 'function') response.destroy();
  });
}

/** Resolves when the client has read the written data, or has disconnected. Rejects if it takes longer than `PATIENCE_MS`. */
export async function taken(stream: PassThrough): Promise<void> {
  const waiting = new AbortController();
  const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]);
  } finally {
    waiting.abort();
  }
}
