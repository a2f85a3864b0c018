#!/usr/bin/env node
import { run } from './checks/run.js';
import { jest, ROOT } from './checks/steps.js';
import { ensureBuilt } from './build.js';
import { join } from 'node:path';

/*
 * npm run examples: sends the request examples of the API document to the service with fresh demo data, and writes the
 * responses to src/document/api-examples.json, for review. The same test file compares them in every test run.
 */
await ensureBuilt();
const test = ['test/contract/examples.e2e-spec.ts', '-t', 'the request examples', '--selectProjects', 'e2e'];
const recording = jest('examples', test);
recording.env.RECORD_EXAMPLES = '1';
const { ok } = await run(recording, { show: true });
const prettier = join(ROOT, 'node_modules/.bin/prettier');
if (ok) await run({ name: 'format', command: [prettier, '--write', 'src/document/api-examples.json'] }, { show: true });
process.exitCode = ok ? 0 : 1;
