// @ts-check
import { join } from 'node:path';
import { isFree } from './embedded-postgres/ports.js';
import { LaunchError } from './launch-error.js';
import { ended, isStillThere, signal } from './processes.js';
import { step } from './progress.js';
import { addService, claim, giveUp } from './run-claims.js';

const GRACE_MS = 20_000;

/**
 * Claims the service's port for this start. A service whose starter was killed is still running on it; it is stopped
 * first, because nobody would ever stop it otherwise.
 * @param {string} folder where the claims of this data folder lie
 * @returns {Promise<{ serve: (service: { pid: number, birth: string | null }) => void, giveUp: () => void }>}
 * @throws {LaunchError} the service runs already, or the port belongs to another program
 */
export async function claimPort(folder) {
  const port = Number(process.env.PORT || 3000);
  const known = Number.isInteger(port) && port > 0 && port < 65536;
  // Port 0 is any free one, and a wrong one is for the service to complain about.
  const file = join(folder, known ? `${port}.json` : `process-${process.pid}.json`);
  const claimed = claim(file);
  if ('holder' in claimed) {
    throw new LaunchError(
      `The service is already running from this folder on port ${port} (process ${claimed.holder.pid}).`,
      `Stop it with Ctrl-C where it was started or \`kill ${claimed.holder.pid}\`; \`PORT=${port + 1} npm start\` starts another one beside it.`,
    );
  }
  try {
    if (claimed.left?.service && isStillThere(claimed.left.service)) await stopLeftOver(claimed.left.service.pid);
    if (known && !(await isFree(port, process.env.HOST || undefined))) throw taken(port);
  } catch (error) {
    giveUp(file);
    throw error;
  }
  return { serve: (service) => addService(file, service), giveUp: () => giveUp(file) };
}

/** @param {number} pid */
async function stopLeftOver(pid) {
  await step(`stopping the service that a killed start left behind (process ${pid})`, async () => {
    signal(pid, 'SIGTERM');
    if (await ended(pid, GRACE_MS)) return;
    signal(pid, 'SIGKILL');
    await ended(pid, GRACE_MS);
  });
}

/** @param {number} port */
function taken(port) {
  return new LaunchError(
    `Port ${port} is in use by another program.`,
    `End that program, or choose another port: \`PORT=${port + 1} npm start\`.`,
  );
}
