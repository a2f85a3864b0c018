import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, runAll } from './checks/run.js';
import { build, bundle, codeChecks, jest, types } from './checks/steps.js';
import { cpuSecondsOfChildren } from './processes.js';

// `npm test`: the build, then unit and API tests, beside them the types.
// `npm run test:system`: the build and the bundle, then the system tests, which start processes, kill servers or need minutes,
// beside them the other static checks. With arguments for Jest, no checks. `--full` repeats the bursts of requests.
// The last line is `N passed, N failed`: a check counts as one test, and so does a test run that did not end by itself.
const system = process.argv[2] === '--system';
const given = process.argv.slice(system ? 3 : 2);
const args = given.filter((argument) => argument !== '--full');
const projects = system ? ['system'] : ['unit', 'e2e'];
const limitMinutes = Number(process.env.TEST_LIMIT_MINUTES ?? (system ? 60 : 40));
const startedAt = performance.now();

// No check reads the build, so that both cores are busy from the start.
const checksBeside = args.length === 0 ? runAll(system ? codeChecks : [types], { atATime: 1 }) : Promise.resolve([]);
const built = await runAll(system ? [build, bundle] : [build], { atATime: 1 });
const tests = built.every(({ ok }) => ok) ? await runTests() : { passed: 0, failed: 1, slowest: [] };
const checks = [...built, ...(await checksBeside)];

const passed = tests.passed + checks.filter(({ ok }) => ok).length;
const failed = tests.failed + checks.filter(({ ok }) => !ok).length;
if (args.length === 0) {
  process.stdout.write(`\nThe slowest test files:\n${tests.slowest.map((line) => `${line}\n`).join('')}`);
  process.stdout.write(`\n${timeLine()}\n`);
}
process.exitCode = failed === 0 ? 0 : 1;
process.stdout.write(`${passed} passed, ${failed} failed\n`);

async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'travel-results-'));
  const file = join(folder, 'results.json');
  const step = jest('tests', [...args, ...(process.env.CI ? ['--ci'] : []), '--selectProjects', ...projects]);
  step.env.TEST_RESULTS = file;
  if (given.includes('--full')) step.env.FULL_TESTS = 'true';
  const { ok } = await run(step, { show: true, limitMinutes });
  const results = read(file);
  rmSync(folder, { recursive: true });
  // Jest can fail without a failed test: in its setup, at the time limit, or if no file matches.
  return { ...results, failed: results.failed === 0 && !ok ? 1 : results.failed };
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 0, slowest: [] };
  }
}

function timeLine() {
  const wall = `${Math.round((performance.now() - startedAt) / 1000)} s`;
  const cpu = cpuSecondsOfChildren();
  const share = checks.map(({ name, seconds }) => `${name} ${seconds.toFixed(0)} s`).join(', ');
  return `Node ${process.version}. Time: ${wall} (${share})${cpu === null ? '' : `; CPU: ${Math.round(cpu)} s`}`;
}
