import { line, run, runAll } from './checks/run.js';
import { audit, codeChecks, jest, types } from './checks/steps.js';

// `npm run check` runs static checks and unit tests, which need neither a build nor a database. All steps run even if one
// fails.
const results = await runAll([...codeChecks, types, jest('unit tests', ['--selectProjects', 'unit', '--ci'])]);
results.push(await run(audit, { show: true }));

process.stdout.write(`\n${results.map(line).join('')}`);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
