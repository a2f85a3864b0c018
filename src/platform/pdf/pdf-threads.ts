import { Worker } from 'node:worker_threads';

const TIMEOUT_MS = 60_000;

/**
 * Renders a document in a thread of its own, so that the event loop stays free. The script posts the bytes; it gets the document
 * as JSON.
 */
export async function renderInThread(script: URL, document: object): Promise<Uint8Array> {
  const thread = new Worker(script, {
    workerData: JSON.stringify(document),
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const timer = setTimeout(() => void thread.terminate(), TIMEOUT_MS);
  try {
    return await new Promise<Uint8Array>((resolve, reject) => {
      thread.once('message', (bytes: unknown) => {
        if (bytes instanceof Uint8Array) resolve(bytes);
        else reject(new Error('The rendering thread returned no bytes'));
      });
      thread.once('error', reject);
      thread.once('exit', (code) => reject(new Error(`The rendering thread ended with ${code}`)));
    });
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
