import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const EMBEDDER = pathToFileURL(join(process.cwd(), 'dist/src/modules/catalog/embeddings/builtin-embedder.js'));

/** Runs in a separate process, which gets the event of each new thread. */
const SCRIPT = `
  const threads = [];
  process.on('worker', (thread) => threads.push(thread));
  const { BuiltinEmbedder } = await import(${JSON.stringify(EMBEDDER)});
  const embedder = new BuiltinEmbedder(1);
  for (const urgency of ['query', 'document']) {
    await embedder.embed(['one'], urgency);
    await threads.at(-1).terminate();
    const [vector] = await embedder.embed(['two'], urgency);
    console.log(urgency, vector.length, threads.length);
  }
  await embedder.stop();`;

it('a thread of the model that ended while it was idle is replaced', async () => {
  // Uses a file, because threads inherit the options that a script on the command line needs.
  const folder = mkdtempSync(join(tmpdir(), 'embedder-'));
  try {
    const file = join(folder, 'script.mjs');
    writeFileSync(file, SCRIPT);
    const env = { ...process.env, NODE_OPTIONS: '' };
    const { stdout } = await promisify(execFile)(process.execPath, [file], { env, timeout: 60_000 });
    expect(stdout.trim().split('\n')).toEqual(['query 512 2', 'document 512 4']);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 90_000);
