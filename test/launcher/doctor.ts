import { expect } from '@jest/globals';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../scripts/ports.js';
import { closeAfterTests } from '../setup/running.js';
import { newFolder, PROJECT, runScript } from './folders.js';

interface Finding {
  check: string;
  verdict: string;
  message: string;
  remedy?: string;
}

/** A port without a listener. */
export const free = String(await freePort());

/** A folder that is deleted after the tests. */
export function folder(): string {
  const path = newFolder();
  closeAfterTests(async () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** The output of `platform doctor` on a free port and in an empty data folder, unless `env` overrides them. */
export async function doctor(env: NodeJS.ProcessEnv = {}, { project = PROJECT, preload = '' } = {}) {
  const first = preload ? ['--import', `data:text/javascript,${encodeURIComponent(preload)}`] : [];
  const words = [...first, join(project, 'scripts/platform.js'), 'doctor', '--json'];
  const script = runScript(project, words, { PORT: free, DATA_DIR: folder(), ...env });
  const code = await script.end();
  const { ok, findings } = JSON.parse(script.standardOutput()) as { ok: boolean; findings: Finding[] };
  const fails = findings.filter(({ verdict }) => verdict === 'FAIL');
  expect([ok, code]).toEqual(fails.length === 0 ? [true, 0] : [false, 1]);
  // Every finding has a remedy.
  expect(findings.filter(({ verdict, remedy }) => (verdict === 'OK') !== (remedy === undefined))).toEqual([]);
  // The build of the tests has no stamp, unlike that of `npm start`.
  const wrong = findings.filter(({ check, verdict }) => verdict !== 'OK' && (check !== 'build' || project !== PROJECT));
  return {
    wrong: wrong.map(({ check, verdict }) => `${verdict} ${check}`),
    of: (name: string) => findings.filter(({ check }) => check === name),
  };
}
