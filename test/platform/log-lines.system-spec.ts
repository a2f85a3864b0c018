import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const LOG = pathToFileURL(join(process.cwd(), 'dist/src/platform/observability/log.js'));
const LINES = 5_000;
const WRITERS = 3;

/** Writes more than the pipe can contain. */
const SCRIPT = `
  const { createLog } = await import(${JSON.stringify(LOG)});
  const log = createLog("info");
  for (let n = 0; n < ${LINES}; n += 1) log.info({ n, filler: "x".repeat(n % 300) }, "line");`;

it('log lines of several processes that write to one pipe are complete, and all of them are written', async () => {
  const writer = `"${process.execPath}" --input-type=module --eval '${SCRIPT}' &`;
  // The reader begins late, so that the pipe is full.
  const command = `(${writer.repeat(WRITERS)} wait) | (sleep 1; cat)`;
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    env: { ...process.env, NODE_OPTIONS: '' },
    maxBuffer: 2 ** 26,
    timeout: 60_000,
  });
  const lines = stdout.trimEnd().split('\n');
  const torn = lines.filter((line) => !/^\{"level":"info",[^{}]*"msg":"line"\}$/.test(line));
  expect(torn).toEqual([]);
  expect(lines).toHaveLength(WRITERS * LINES);
}, 90_000);
