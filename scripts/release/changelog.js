// @ts-check
import { LaunchError } from '../launch-error.js';

const UNRELEASED = '## Unreleased';

/**
 * Returns the changelog with the unreleased changes under a version and its day.
 * @param {string} changelog
 * @param {{ version: string, day: string }} release
 * @throws {LaunchError} if there are no unreleased changes
 */
export function changelogOf(changelog, { version, day }) {
  const [before = '', rest] = changelog.split(`${UNRELEASED}\n`);
  const next = rest?.search(/^## /m) ?? -1;
  const changes = next < 0 ? (rest ?? '') : (rest ?? '').slice(0, next);
  if (changes.trim() === '') {
    throw new LaunchError(
      'CHANGELOG.md has no unreleased changes.',
      `Describe under "${UNRELEASED}" what operators and clients must know, and commit it.`,
    );
  }
  const earlier = next < 0 ? '' : `\n${(rest ?? '').slice(next)}`;
  return `${before}${UNRELEASED}\n\n## ${version} - ${day}\n\n${changes.trim()}\n${earlier}`;
}
