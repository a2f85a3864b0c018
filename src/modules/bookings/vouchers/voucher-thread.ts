import { parentPort, workerData } from 'node:worker_threads';
import type { VoucherDocument } from './voucher-document.js';
import { renderVouchers } from './voucher-pdf.js';

// Runs in a thread, because dozens of QR codes take a second, which would block all requests of the process.
parentPort?.postMessage(await renderVouchers(JSON.parse(String(workerData)) as VoucherDocument));
