import { parentPort, workerData } from 'node:worker_threads';
import type { InvoiceDocument } from './invoice-document.js';
import { renderPdf } from './invoice-pdf.js';

// Runs in a thread, because several hundred lines take a quarter of a second, which would block all requests of the process.
parentPort?.postMessage(await renderPdf(JSON.parse(String(workerData)) as InvoiceDocument));
