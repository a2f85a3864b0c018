import { parentPort, workerData } from 'node:worker_threads';
import { type PrintedManifest, renderManifest } from './manifest-pdf.js';

// Runs in a thread, because hundreds of people take a quarter of a second, which would block all requests of the process.
parentPort?.postMessage(await renderManifest(JSON.parse(String(workerData)) as PrintedManifest));
