// @ts-check
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
import { checkServices } from './doctor/services.js';
import { LaunchError } from './launch-error.js';

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
  ['services', checkServices],
];

/**
 * `platform doctor`: checks whether the service can start and serve on this machine. It changes nothing and starts nothing.
 * @returns {Promise<import('./platform/outcome.js').Outcome>}
 */
export async function doctor() {
  /** @type {Finding[]} */
  const findings = [];
  for (const [name, check] of CHECKS) findings.push(...(await outcomeOf(name, check)));
  const ok = findings.every(({ verdict }) => verdict !== 'FAIL');
  const lines = [...findings.flatMap(linesOf), '', summaryOf(findings)];
  return { exitCode: ok ? 0 : 1, result: { ok, findings }, lines };
}

/** @param {string} name @param {() => Finding[] | Promise<Finding[]>} check */
async function outcomeOf(name, check) {
  try {
    return await check();
  } catch (error) {
    if (error instanceof LaunchError) return [failed(name, error.message, error.remedy)];
    return [failed(name, `could not be checked: ${String(error)}`, 'see the reason in the message')];
  }
}
