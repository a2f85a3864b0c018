import { parentPort, workerData } from 'node:worker_threads';
import { type PrintedRoomingList, renderRoomingList } from './rooming-list-pdf.js';

// Runs in a thread, as the manifest does: hundreds of rooms would block all requests of the process.
parentPort?.postMessage(await renderRoomingList(JSON.parse(String(workerData)) as PrintedRoomingList));
