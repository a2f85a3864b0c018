#!/usr/bin/env node
// @ts-check
import { runQuietly } from './child.js';
import { ROOT } from './environment.js';
import { npmCommand } from './install.js';

/*
 * npm run audit: asks the registry for known vulnerabilities of the packages that the service is distributed with, and ends
 * with 1 if one is of severity high or critical. A missing registry, or one without this service, is not a failure.
 */

const REJECTED = /** @type {const} */ (['high', 'critical']);

/** @param {string} output @returns {{ metadata?: { vulnerabilities?: Record<string, number> }, error?: { summary?: string }, message?: string } | null} */
function parsed(output) {
  try {
    return JSON.parse(output.slice(output.indexOf('{')));
  } catch {
    return null;
  }
}

const words = ['audit', '--omit=dev', '--audit-level=high', '--json', '--loglevel=silent', '--fetch-retries=0'];
const { code, output } = await runQuietly([...npmCommand(), ...words], { cwd: ROOT });
const result = parsed(output);
const counts = result?.metadata?.vulnerabilities;
if (!counts) {
  process.stdout.write('not run: npm audit (the registry has no answer)\n');
} else {
  const found = REJECTED.map((severity) => `${counts[severity] ?? 0} ${severity}`).join(', ');
  process.stdout.write(`npm audit: ${found}${code === 0 ? '' : '; `npm audit --omit=dev` names the packages'}\n`);
  process.exitCode = REJECTED.some((severity) => counts[severity]) ? 1 : 0;
}
