#!/usr/bin/env node
// @ts-check
import { parseArgs } from 'node:util';
import { checkConfiguration, checkSecretFiles } from './doctor/configuration.js';
import { checkDatabase } from './doctor/database.js';
import { checkDisk, checkWriting } from './doctor/data-folder.js';
import { failed, linesOf, summaryOf } from './doctor/finding.js';
import { checkBuild, checkNode, checkNpm, checkPackages } from './doctor/node.js';
import { checkPort } from './doctor/port.js';
import { loadEnvironment } from './environment.js';
import { LaunchError } from './launch-error.js';

/*
 * npm run doctor: whether the service could start and serve here, a line for each thing it needs; `--json` for
 * machines. It changes nothing and starts nothing. Exit code 1 when something fails.
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
    return [failed(name, `could not be checked: ${String(error)}`, 'The words above say why.')];
  }
}
