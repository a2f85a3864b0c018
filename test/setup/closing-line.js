import { writeFileSync } from 'node:fs';

/**
 * Jest reporter that ends a run with `N passed, N failed`, alone on the last line. A suite that could not run counts as
 * failed. Under `npm test` (`TEST_RESULTS` names a file) the line is left to scripts/test.js, which adds the checks.
 */
export default class ClosingLine {
  onRunComplete(_contexts, results) {
    const passed = results.numPassedTests;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    if (process.env.TEST_RESULTS) {
      writeFileSync(process.env.TEST_RESULTS, JSON.stringify({ passed, failed }));
    } else {
      // Jest prints its summary after this call; only the end of the process comes later.
      process.on('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
    }
  }
}
