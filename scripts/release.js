#!/usr/bin/env node
// @ts-check
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './environment.js';
import { EXIT_USAGE, LaunchError, report } from './launch-error.js';
import { step } from './progress.js';
import { changelogOf } from './release/changelog.js';
import {
  ACCEPTED,
  acceptedChanges,
  compatibilityOf,
  linesOf,
  RELEASED,
  releasedDocument,
  releasedText,
} from './release/document.js';
import { filesWithVersion, imageName, isLater, packageVersion, partsOf } from './release/version.js';
import { billOfMaterials, licenceFaults } from './sbom.js';

/*
 * npm run release -- <version> [--dry-run]: makes a release of the current commit of main, as one commit and its tag, and
 * pushes nothing. It sets the version in all files that name it, moves the unreleased changes of CHANGELOG.md under it, and
 * writes the API document that later changes are compared with, and the bill of materials. It ends without a change if the
 * working tree is not clean, or if the API breaks clients of the last release and the version is not a new major one.
 */

/** The bill of materials in CycloneDX, with the packages of the distributed service. */
const BILL = 'releases/sbom.json';
const MAIN = 'main';

/** @typedef {import('./release/schemas.js').Json} Json */

async function release() {
  const { version, isDryRun } = readWords(process.argv.slice(2));
  requireCleanMain();
  requireFreeVersion(version);
  const texts = filesWithVersion(ROOT, version);
  const day = new Date().toISOString().slice(0, 10);
  texts.set('CHANGELOG.md', changelogOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), { version, day }));
  const document = await step('reading the API document', async () => apiDocument());
  requireCompatible(document, version);
  texts.set(RELEASED, releasedText(document, version));
  texts.set(ACCEPTED, '[]\n');
  await requireLicences();

  const files = [...texts.keys(), BILL];
  if (isDryRun) {
    process.stdout.write(
      `${version} can be released. A release changes:\n${files.map((file) => `  ${file}\n`).join('')}`,
    );
    return;
  }
  await write(texts, version).catch((error) => {
    // The working tree was clean before the release, so this discards only its own changes.
    git('add', '--all');
    git('reset', '--hard', '--quiet', 'HEAD');
    throw error;
  });
  process.stdout.write(nextSteps(version));
}

/** @param {string[]} words */
function readWords(words) {
  const isDryRun = words.includes('--dry-run');
  const [version = 'Nothing', ...others] = words.filter((word) => word !== '--dry-run');
  partsOf(version);
  if (others.length > 0) {
    throw new LaunchError(`Unknown: ${others.join(' ')}.`, 'npm run release -- 1.2.3 [--dry-run]', {
      exitCode: EXIT_USAGE,
    });
  }
  return { version, isDryRun };
}

function requireCleanMain() {
  const branch = git('rev-parse', '--abbrev-ref', 'HEAD').trim();
  if (branch !== MAIN) throw new LaunchError(`The branch is ${branch}.`, `Release from ${MAIN}: git switch ${MAIN}`);
  const changes = git('status', '--porcelain');
  if (changes === '') return;
  throw new LaunchError('The working tree has changes.', 'Commit or stash them first.', { detail: changes });
}

/** The first release may have the current version of package.json. @param {string} version */
function requireFreeVersion(version) {
  const present = packageVersion(ROOT);
  if (version !== present && !isLater(version, present)) {
    throw new LaunchError(`${version} is earlier than the present version ${present}.`, 'Choose a later one.');
  }
  if (git('tag', '--list', `v${version}`) === '') return;
  throw new LaunchError(`The tag v${version} exists.`, 'Choose a later version.');
}

/** Builds the API document of the current sources. @returns {Json} */
function apiDocument() {
  const command = [join(ROOT, 'scripts/platform.js'), 'openapi'];
  const { status, stdout, stderr } = run([process.execPath, ...command]);
  if (status === 0) return JSON.parse(stdout);
  throw new LaunchError('The API document could not be made.', 'Correct the problems in the output.', {
    detail: stderr,
  });
}

/** @param {Json} document @param {string} version */
function requireCompatible(document, version) {
  const { document: released, release: last } = releasedDocument();
  const accepted = acceptedChanges();
  const { unexpected, stale, needsMajor } = compatibilityOf(document, { released, accepted });
  if (unexpected.length > 0) {
    throw new LaunchError(
      `The API document breaks clients of ${last}.`,
      `Restore what it promised. If a change is intended, add it with its reason to ${ACCEPTED}; docs/versioning.md says when.`,
      { detail: unexpected.join('\n') },
    );
  }
  if (stale.length > 0) {
    throw new LaunchError(`${ACCEPTED} names changes that do not exist.`, 'Remove them.', { detail: stale.join('\n') });
  }
  if (needsMajor.length > 0 && partsOf(version)[0] <= partsOf(last)[0]) {
    throw new LaunchError(
      `The API document breaks clients of ${last}, and ${version} is not a new major version.`,
      `Release ${partsOf(last)[0] + 1}.0.0, or restore the promises of ${last}.`,
      { detail: needsMajor.join('\n') },
    );
  }
}

async function requireLicences() {
  const faults = licenceFaults((await billOfMaterials()).components);
  if (faults.length === 0) return;
  throw new LaunchError('Packages must not be distributed.', 'Replace them.', { detail: faults.join('\n') });
}

/** @param {Map<string, string>} texts @param {string} version */
async function write(texts, version) {
  for (const [file, text] of texts) writeFileSync(join(ROOT, file), text);
  // The file contains the version of package.json.
  writeFileSync(join(ROOT, BILL), `${linesOf(await billOfMaterials(), 2)}\n`);
  git('add', '--', ...texts.keys(), BILL);
  git('commit', '--quiet', '--message', `chore(release): ${version}`);
  git('tag', '--annotate', '--message', `Release ${version}`, `v${version}`);
}

/** @param {string} version */
function nextSteps(version) {
  const image = `${imageName(ROOT)}:${version}`;
  const build = `docker build --build-arg VERSION=${version} --build-arg REVISION=$(git rev-parse v${version}^{commit})`;
  return [
    `Released ${version}: ${git('rev-parse', '--short', 'HEAD').trim()}, tag v${version}. Nothing is pushed. Next:`,
    `  git push origin ${MAIN} v${version}`,
    `  ${build} --tag ${image} .`,
    `  docker push ${image}`,
    '',
  ].join('\n');
}

/** @param {...string} words */
function git(...words) {
  const { status, stdout, stderr } = run(['git', ...words]);
  if (status === 0) return stdout;
  throw new LaunchError(`git ${words[0]} failed.`, 'Correct what git names.', { detail: stderr, exitCode: 1 });
}

/** @param {string[]} command */
function run([program = '', ...words]) {
  const options = /** @type {const} */ ({ cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const { status, stdout, stderr, error } = spawnSync(program, words, options);
  return { status, stdout: stdout ?? '', stderr: stderr ?? String(error) };
}

process.exitCode = await release().then(() => 0, report);
