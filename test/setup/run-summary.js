import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

const SLOWEST = 25;

/**
 * Jest reporter that ends a run with its slowest files and `N passed, N failed`, alone on the last line. A suite that
 * could not run counts as failed. With `npm test` (`TEST_RESULTS` names a file) scripts/test.js prints the last line,
 * because it adds the static checks and the CPU time.
 */
export default class RunSummary {
  onRunComplete(_contexts, results) {
    const passed = results.numPassedTests;
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const slowest = slowestFiles(results.testResults);
    if (process.env.TEST_RESULTS) {
      writeFileSync(
        process.env.TEST_RESULTS,
        JSON.stringify({ passed, failed, failedFiles: failedFiles(results.testResults), slowest }),
      );
    } else {
      // Jest prints its own summary after this call.
      process.on('exit', () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
    }
  }
}

/** Adds the number of their passed tests. */
function failedFiles(files) {
  return files
    .filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError)
    .map(({ testFilePath, numPassingTests }) => ({
      file: relative(process.cwd(), testFilePath),
      passed: numPassingTests,
    }));
}

function slowestFiles(files) {
  return files
    .map(({ testFilePath, perfStats }) => ({ file: testFilePath, seconds: perfStats.runtime / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${relative(process.cwd(), file)}`);
}
