import { rm } from 'node:fs/promises';
import { dropRun } from './databases.js';

/** Removes what global-setup.js created; an external server is left as it was. */
export default async function tearDown() {
  if (!globalThis.testServer) return;
  await clear(JSON.parse(process.env.TEST_RUN));
}

/** This also runs after an incomplete setup. */
export async function clear({ adminUrl, run, folder }) {
  if (adminUrl) await dropRun(adminUrl, run);
  await globalThis.testServer?.stop();
  await rm(folder, { recursive: true, force: true });
}
