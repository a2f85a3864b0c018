import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, runAll } from './checks/run.js';
import { build, jest, staticChecks } from './checks/steps.js';

// `npm test`: the static checks, the build, then unit and API tests. `npm test -- <jest arguments>` skips the checks.
// `npm run test:system`: the build, then the system tests, which start processes, kill servers or need minutes.
// The last line is `N passed, N failed`: a check counts as one test, and so does a test run that did not end by itself.
const LIMIT_MINUTES = Number(process.env.TEST_LIMIT_MINUTES ?? 40);

const system = process.argv[2] === '--system';
const args = process.argv.slice(system ? 3 : 2);
const projects = ['--selectProjects', ...(system ? ['system'] : ['unit', 'e2e'])];
const checks = await runAll(args.length === 0 && !system ? [build, ...staticChecks] : [build]);
const built = checks.some(({ name, ok }) => name === build.name && ok);
const tests = built ? await runTests() : { passed: 0, failed: 1 };

const passed = tests.passed + checks.filter(({ ok }) => ok).length;
const failed = tests.failed + checks.filter(({ ok }) => !ok).length;
process.exitCode = failed === 0 ? 0 : 1;
process.stdout.write(`${passed} passed, ${failed} failed\n`);

async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'travel-results-'));
  const file = join(folder, 'results.json');
  const step = jest('tests', [...projects, ...(process.env.CI ? ['--ci'] : []), ...args]);
  step.env.TEST_RESULTS = file;
  const { ok } = await run(step, { show: true, limitMinutes: LIMIT_MINUTES });
  const results = read(file);
  rmSync(folder, { recursive: true });
  // Jest can count no failure and still fail: a setup that broke, a run that hung, a pattern that matched nothing.
  return { passed: results.passed, failed: results.failed === 0 && !ok ? 1 : results.failed };
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 0 };
  }
}
