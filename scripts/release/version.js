// @ts-check
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT_USAGE, LaunchError } from '../launch-error.js';

/** Files that name the version; package.json and package-lock.json are read as JSON. */
const TEXTS = [
  'deploy/backup/Dockerfile',
  'deploy/compose/production.yaml',
  'deploy/kubernetes/kustomization.yaml',
  'docs/operations.md',
  'docs/operations/image.md',
  'docs/operations/systemd.md',
];

/** @param {string} version @returns {[major: number, minor: number, patch: number]} */
export function partsOf(version) {
  const [, ...parts] = /^(\d+)\.(\d+)\.(\d+)$/.exec(version) ?? [];
  if (parts.length !== 3 || parts.join('.') !== parts.map(Number).join('.')) {
    throw new LaunchError(`${version} is not a version.`, 'npm run release -- 1.2.3 [--dry-run]', {
      exitCode: EXIT_USAGE,
    });
  }
  return /** @type {[number, number, number]} */ (parts.map(Number));
}

/** Returns whether the first version is later than the second. @param {string} version @param {string} other */
export function isLater(version, other) {
  const [a, b] = [partsOf(version), partsOf(other)];
  const index = a.findIndex((part, place) => part !== b[place]);
  return index >= 0 && Number(a[index]) > Number(b[index]);
}

/** @param {string} root */
export function packageVersion(root) {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
}

/**
 * Returns the files that name the version, with the new version.
 * @param {string} root
 * @param {string} version
 * @returns {Map<string, string>} the texts by file
 */
export function filesWithVersion(root, version) {
  const read = (/** @type {string} */ file) => readFileSync(join(root, file), 'utf8');
  const asJson = (/** @type {object} */ content) => `${JSON.stringify(content, null, 2)}\n`;
  const manifest = JSON.parse(read('package.json'));
  const lock = JSON.parse(read('package-lock.json'));
  const { version: present } = manifest;
  const named = new RegExp(
    `(newTag: |travel-operations-(?:platform|backup):|VERSION=|--branch v|/opt/travel-)${present.replaceAll('.', '\\.')}\\b`,
    'g',
  );
  lock.packages[''].version = version;
  return new Map([
    ['package.json', asJson({ ...manifest, version })],
    ['package-lock.json', asJson({ ...lock, version })],
    ...TEXTS.map((file) => /** @type {const} */ ([file, read(file).replace(named, `$1${version}`)])),
  ]);
}

/** The image that the manifests use, without its tag. @param {string} root */
export function imageName(root) {
  const manifests = readFileSync(join(root, 'deploy/kubernetes/kustomization.yaml'), 'utf8');
  return /newName: (\S+)/.exec(manifests)?.[1] ?? 'travel-operations-platform';
}
