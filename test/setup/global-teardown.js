import { rm } from 'node:fs/promises';
import { dropRun } from './databases.js';

/** Ends what global-setup.js began; a server that was given is left as it was found. */
export default async function tearDown() {
  if (!globalThis.testServer) return;
  await clear(JSON.parse(process.env.TEST_RUN));
}

/** Also after a setup that came only so far. */
export async function clear({ adminUrl, run, folder }) {
  if (adminUrl) await dropRun(adminUrl, run);
  await globalThis.testServer?.stop();
  await rm(folder, { recursive: true, force: true });
}
