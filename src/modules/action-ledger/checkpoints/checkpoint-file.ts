import { createReadStream } from 'node:fs';
import { mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

/** A line has at most 64 heads of 90 characters. */
const LONGEST_LINE = 64 * 1024;
const LINE_FEED = 10;

/** The file of checkpoints: one JSON line each, only appended. */
export class CheckpointFile {
  constructor(readonly path: string) {}

  /** Returns the complete lines; null if the file is missing. Omits a line that was truncated while it was written. */
  async lines(): Promise<AsyncIterable<string> | null> {
    const file = await this.openExisting();
    if (!file) return null;
    const end = await endOfLines(file).finally(() => file.close());
    if (end === 0) return nothing();
    return createInterface({ input: createReadStream(this.path, { end: end - 1 }), crlfDelay: Infinity });
  }

  /** Returns the last complete line; null if there is none. */
  async lastLine(): Promise<string | null> {
    const file = await this.openExisting();
    if (!file) return null;
    try {
      const end = await endOfLines(file);
      if (end === 0) return null;
      const text = (await readBefore(file, end)).toString('utf8').slice(0, -1);
      return text.slice(text.lastIndexOf('\n') + 1);
    } finally {
      await file.close();
    }
  }

  /**
   * Appends the line and waits until it is on the disk. First removes a line that a killed process left incomplete. The caller
   * must ensure that only one process appends at a time.
   */
  async append(line: string): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true });
    const isNew = (await this.openExisting().then((file) => file?.close().then(() => false))) ?? true;
    const file = await open(this.path, 'a+', 0o600);
    try {
      await file.truncate(await endOfLines(file));
      await file.appendFile(`${line}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    if (isNew) await syncFolder(dirname(this.path));
  }

  private async openExisting(): Promise<FileHandle | null> {
    try {
      return await open(this.path, 'r');
    } catch (error) {
      if (error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return null;
      throw error;
    }
  }
}

/** Returns the length of the file up to its last line feed. */
async function endOfLines(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const tail = await readBefore(file, size);
  return size - tail.length + tail.lastIndexOf(LINE_FEED) + 1;
}

async function readBefore(file: FileHandle, end: number): Promise<Buffer> {
  const length = Math.min(end, LONGEST_LINE);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, end - length);
  return buffer.subarray(0, bytesRead);
}

/** Makes the name of a new file durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

async function* nothing(): AsyncIterable<string> {
  // No line.
}
