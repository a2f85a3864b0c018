import { afterAll } from '@jest/globals';
import { setTimeout } from 'node:timers/promises';
import { closeRunning } from './running.js';

const WAIT_MS = 2000;
/** See environment.js. */
declare const worker: { applications: Map<string, unknown> };
// A server of an earlier file in the same process, which has failed already, or of a shared application.
const before = listening() - worker.applications.size;

// Closes applications after each test file, and fails the file if a server still listens, which would keep the run from ending.
// A file closes its own resources in its `describe`, whose hooks run before this one.
afterAll(async () => {
  await closeRunning();
  for (let waited = 0; listening() - worker.applications.size > before; waited += 20) {
    if (waited > WAIT_MS) throw new Error('A server still listens after the tests of this file: close what was opened');
    await setTimeout(20);
  }
});

function listening(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
}
