#!/usr/bin/env node
// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly } from './child.js';
import { ROOT } from './environment.js';
import { npmCommand } from './install.js';
import { LaunchError, report } from './launch-error.js';

/*
 * npm run sbom [-- --dev]: prints the software bill of materials in CycloneDX JSON, made by npm from package-lock.json, with
 * the licence of every package. `--dev` includes the packages of build and tests. Ends with 1 if the service would be
 * distributed with a package whose licence is unknown or forbidden.
 */

/** @typedef {{ name: string, version: string, licenses?: { license?: { id?: string, name?: string }, expression?: string }[] }} Component */

/** The licences of packages that name none in SPDX's words, as their files state them. */
const STATED = {
  busboy: 'MIT',
  'dejavu-fonts-ttf': 'Bitstream-Vera',
  nub: 'MIT',
  'passport-http-bearer': 'MIT',
  'passport-strategy': 'MIT',
  pause: 'MIT',
  'png-js': 'MIT',
  streamsearch: 'MIT',
  usearch: 'Apache-2.0',
};

/** Licences that only require their text to accompany the software. Copyleft and source-available ones are forbidden. */
const PERMITTED = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'Bitstream-Vera',
    'BlueOak-1.0.0',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
  ],
  ...['OFL-1.1', 'PostgreSQL', 'Python-2.0', 'Unlicense', 'Zlib'],
]);

/** Development packages whose files the build copies into the service (see nest-cli.json). */
const COPIED = new Set(
  [
    '@expo-google-fonts/noto-sans-arabic',
    '@expo-google-fonts/noto-sans-hebrew',
    '@expo-google-fonts/noto-sans-jp',
    '@scalar/api-reference',
    'dejavu-fonts-ttf',
  ].map((name) => `node_modules/${name}`),
);

/** @param {Component} component @returns {string[]} */
function licencesOf({ licenses = [] }) {
  return licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '');
}

/** Returns whether permitted licences alone can satisfy an SPDX expression. @param {string} expression */
function isPermitted(expression) {
  const alternatives = expression.replace(/[()]/g, '').split(/\s+OR\s+/);
  return alternatives.some((each) => each.split(/\s+AND\s+/).every((id) => PERMITTED.has(id)));
}

/**
 * Returns the reasons why packages must not be distributed, one line each.
 * @param {Component[]} components
 */
export function licenceFaults(components) {
  return components.flatMap((component) => {
    const licences = licencesOf(component);
    const name = `${component.name}@${component.version}`;
    if (licences.length === 0) return [`${name}: no licence is known; state the one of its files in scripts/sbom.js`];
    return licences.every(isPermitted) ? [] : [`${name}: ${licences.join(', ')} is not permitted`];
  });
}

/**
 * Makes the bill of materials.
 * @param {{ dev?: boolean }} [options]
 * @returns {Promise<{ components: Component[] } & Record<string, unknown>>}
 */
export async function billOfMaterials({ dev = false } = {}) {
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  const { code, output } = await runQuietly([...npmCommand(), ...words, '--loglevel', 'error'], { cwd: ROOT });
  if (code !== 0) {
    throw new LaunchError('npm could not list the packages.', 'Correct what npm names above.', { detail: output });
  }
  const bill = JSON.parse(output.slice(output.indexOf('{')));
  const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  // npm takes the name from the folder.
  Object.assign(bill.metadata.component, { name, version });
  for (const component of bill.components) {
    const stated = STATED[/** @type {keyof typeof STATED} */ (component.name)];
    if (licencesOf(component).length === 0 && stated) component.licenses = [{ license: { id: stated } }];
  }
  return dev ? bill : withoutDevelopment(bill);
}

/**
 * npm's own `--omit dev` also omits packages of production that a package of development needs, such as nodemailer.
 * @param {any} bill
 */
function withoutDevelopment(bill) {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const production = Object.entries(packages).filter(
    ([path, { dev, devOptional }]) => (!dev && !devOptional) || COPIED.has(path),
  );
  const names = new Set(production.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`));
  const root = bill.metadata.component['bom-ref'];
  const components = bill.components.filter((/** @type {Component} */ each) =>
    names.has(`${each.name}@${each.version}`),
  );
  const refs = new Set(components.map((/** @type {{ 'bom-ref': string }} */ component) => component['bom-ref']));
  const dependencies = bill.dependencies
    .filter((/** @type {{ ref: string }} */ { ref }) => ref === root || refs.has(ref))
    .map((/** @type {{ ref: string, dependsOn: string[] }} */ { ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn.filter((each) => refs.has(each)),
    }));
  return { ...bill, components, dependencies };
}

if (process.argv[1] === import.meta.filename) {
  try {
    const bill = await billOfMaterials({ dev: process.argv.includes('--dev') });
    process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
    // Tools of the build are not distributed.
    const faults = process.argv.includes('--dev') ? [] : licenceFaults(bill.components);
    for (const fault of faults) process.stderr.write(`${fault}\n`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  } catch (error) {
    process.exitCode = report(error);
  }
}
