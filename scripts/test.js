import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markBuilt } from './build.js';
import { run, runAll } from './checks/run.js';
import { build, bundle, codeChecks, jest, types } from './checks/steps.js';
import { cpuSecondsOfChildren } from './processes.js';

// `npm test`: the build, then unit and API tests, and the type check at the same time. `npm run test:system`: the build and the
// bundle, then the system tests, which start processes, kill servers or need minutes, and the other static checks at the same
// time. Files that fail are repeated alone at the end, when nothing competes for the cores; those that fail only under load are
// named. With arguments for Jest, no checks and no repetition. `--full` repeats the bursts of requests. The last line is
// `N passed, N failed`: a check counts as one test, and so does a test run that did not end by itself.
const system = process.argv[2] === '--system';
const given = process.argv.slice(system ? 3 : 2);
const args = given.filter((argument) => argument !== '--full');
const projects = system ? ['system'] : ['unit', 'e2e'];
const limitMinutes = Number(process.env.TEST_LIMIT_MINUTES ?? (system ? 60 : 40));
const startedAt = performance.now();
const NOTHING = { passed: 0, failed: 1, failedFiles: [], slowest: [] };
const MAX_REPEATED = 8;

// No check reads the build, so that both cores are busy from the start.
const checksBeside = args.length === 0 ? runAll(system ? codeChecks : [types], { atATime: 1 }) : Promise.resolve([]);
const built = await runAll(system ? [build, bundle] : [build], { atATime: 1 });
// System tests run commands of this folder, which would otherwise build it again while other tests use it.
if (system && built.every(({ ok }) => ok)) markBuilt();
let tests = built.every(({ ok }) => ok) ? await runTests(args) : NOTHING;
const checks = [...built, ...(await checksBeside)];
if (args.length === 0) tests = await withRepetition(tests);

const passed = tests.passed + checks.filter(({ ok }) => ok).length;
const failed = tests.failed + checks.filter(({ ok }) => !ok).length;
if (args.length === 0) {
  process.stdout.write(`\nThe slowest test files:\n${tests.slowest.map((line) => `${line}\n`).join('')}`);
  process.stdout.write(`\n${timeLine()}\n`);
}
process.exitCode = failed === 0 ? 0 : 1;
process.stdout.write(`${passed} passed, ${failed} failed\n`);

async function runTests(options) {
  const folder = mkdtempSync(join(tmpdir(), 'travel-results-'));
  const file = join(folder, 'results.json');
  const step = jest('tests', [...options, ...(process.env.CI ? ['--ci'] : []), '--selectProjects', ...projects]);
  step.env.TEST_RESULTS = file;
  if (given.includes('--full')) step.env.FULL_TESTS = 'true';
  const { ok } = await run(step, { show: true, limitMinutes });
  const results = read(file);
  rmSync(folder, { recursive: true });
  // Jest can fail without a failed test: in its setup, at the time limit, or because no file matches.
  return { ...results, failed: results.failed === 0 && !ok ? 1 : results.failed };
}

/** Repeats the failed files one by one. More than a few failures indicate a fault of the change, not of the machine. */
async function withRepetition(first) {
  const { failedFiles } = first;
  if (failedFiles.length === 0 || failedFiles.length > MAX_REPEATED) return first;
  const files = failedFiles.map(({ file }) => file);
  process.stdout.write(`\nRepeated alone:\n${files.map((file) => `  ${file}\n`).join('')}`);
  const again = await runTests(['--maxWorkers=1', '--runTestsByPath', ...files]);
  const stillFailed = new Set(again.failedFiles.map(({ file }) => file));
  for (const file of files) {
    if (!stillFailed.has(file)) process.stdout.write(`failed beside others, passed alone: ${file}\n`);
  }
  const counted = failedFiles.reduce((sum, { passed }) => sum + passed, 0);
  return { ...again, passed: first.passed - counted + again.passed, slowest: first.slowest };
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { ...NOTHING, failed: 0 };
  }
}

function timeLine() {
  const wall = `${Math.round((performance.now() - startedAt) / 1000)} s`;
  const cpu = cpuSecondsOfChildren();
  const share = checks.map(({ name, seconds }) => `${name} ${seconds.toFixed(0)} s`).join(', ');
  return `Node ${process.version}. Time: ${wall} (${share})${cpu === null ? '' : `; CPU: ${Math.round(cpu)} s`}`;
}
