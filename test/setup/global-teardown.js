import { rm } from 'node:fs/promises';
import { dropRun } from './databases.js';

/** Ends what global-setup.js began; a server that was given is left as it was found. */
export default async function tearDown() {
  const { adminUrl, run, folder } = JSON.parse(process.env.TEST_RUN);
  await dropRun(adminUrl, run);
  await globalThis.testServer.stop();
  await rm(folder, { recursive: true, force: true });
}
