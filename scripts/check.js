import { line, runAll } from './checks/run.js';
import { jest, staticChecks } from './checks/steps.js';

// `npm run check`: static checks and unit tests, which need neither a build nor a database. All steps run even if one fails.
const results = await runAll([...staticChecks, jest('unit tests', ['--selectProjects', 'unit', '--ci'])]);

process.stdout.write(`\n${results.map(line).join('')}`);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
