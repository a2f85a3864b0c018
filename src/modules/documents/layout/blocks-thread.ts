import { parentPort, workerData } from 'node:worker_threads';
import type { PrintedBlocks } from './blocks.js';
import { renderBlocks } from './blocks-pdf.js';

// Runs in a thread, because long tables take a quarter of a second, which would block all requests of the process.
parentPort?.postMessage(await renderBlocks(JSON.parse(String(workerData)) as PrintedBlocks));
