#!/usr/bin/env node
// @ts-check
import { parseArgs } from 'node:util';
import { checkConfiguration, checkSecretFiles } from './doctor/configuration.js';
import { checkDatabase } from './doctor/database.js';
import { failed, linesOf, summaryOf } from './doctor/finding.js';
import {
  checkBuild,
  checkDisk,
  checkNode,
  checkNpm,
  checkPackages,
  checkPort,
  checkWriting,
} from './doctor/machine.js';
import { loadEnvironment } from './environment.js';
import { LaunchError } from './launch-error.js';

/*
 * npm run doctor: checks whether the service can start and serve on this machine, with a line per check; `--json` prints
 * JSON. It changes nothing and starts nothing. The exit code is 1 if a check fails.
 */

/** @typedef {import('./doctor/finding.js').Finding} Finding */
/** @type {[name: string, check: () => Finding[] | Promise<Finding[]>][]} */
const CHECKS = [
  ['node', checkNode],
  ['npm', checkNpm],
  ['packages', checkPackages],
  ['build', checkBuild],
  ['configuration', checkConfiguration],
  ['secrets', checkSecretFiles],
  ['port', checkPort],
  ['disk', checkDisk],
  ['writing', checkWriting],
  ['database', checkDatabase],
];

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
loadEnvironment();
/** @type {Finding[]} */
const findings = [];
for (const [name, check] of CHECKS) {
  for (const finding of await outcomeOf(name, check)) {
    findings.push(finding);
    if (!options.json) process.stdout.write(linesOf(finding));
  }
}
const ok = findings.every(({ verdict }) => verdict !== 'FAIL');
process.stdout.write(options.json ? `${JSON.stringify({ ok, findings }, null, 2)}\n` : `\n${summaryOf(findings)}\n`);
process.exitCode = ok ? 0 : 1;

/** @param {string} name @param {() => Finding[] | Promise<Finding[]>} check */
async function outcomeOf(name, check) {
  try {
    return await check();
  } catch (error) {
    if (error instanceof LaunchError) return [failed(name, error.message, error.remedy)];
    return [failed(name, `could not be checked: ${String(error)}`, 'see the reason in the message')];
  }
}
