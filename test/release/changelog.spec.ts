import { describe, expect, it } from '@jest/globals';
import { filesIn, readPage } from '../docs/markdown.js';
import { PROJECT } from '../launcher/folders.js';
import { changelogOf } from '../../scripts/release/changelog.js';
import { filesWithVersion, isLater, packageVersion, partsOf } from '../../scripts/release/version.js';

/** Every file that names the version. */
const NAMING = [
  'deploy/backup/Dockerfile',
  'deploy/compose/production.yaml',
  'deploy/kubernetes/kustomization.yaml',
  'docs/operations.md',
  'docs/operations/image.md',
  'docs/operations/systemd.md',
];

const release = { version: '1.2.3', day: '2027-01-31' };

describe('the changelog of a release', () => {
  it('a release moves the unreleased changes under its version and keeps the earlier ones', () => {
    const before = '# Changelog\n\n## Unreleased\n\n### Added\n\n- A\n\n## 1.2.2 - 2027-01-01\n\n- B\n';
    const after =
      '# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2027-01-31\n\n### Added\n\n- A\n\n## 1.2.2 - 2027-01-01\n\n- B\n';
    expect(changelogOf(before, release)).toBe(after);
  });

  it('the first release needs no earlier one', () => {
    const after = '# Changelog\n\n## Unreleased\n\n## 1.2.3 - 2027-01-31\n\n- A\n';
    expect(changelogOf('# Changelog\n\n## Unreleased\n\n- A\n', release)).toBe(after);
  });

  it.each(['# Changelog\n', '# Changelog\n\n## Unreleased\n\n## 1.2.2 - 2027-01-01\n\n- B\n'])(
    'a release without unreleased changes fails: %j',
    (text) => expect(() => changelogOf(text, release)).toThrow('CHANGELOG.md has no unreleased changes.'),
  );
});

describe('the version of a release', () => {
  it('no deployment file or page names the version before', () => {
    const texts = filesWithVersion(PROJECT, '97.98.99');
    for (const file of NAMING) {
      expect([file, texts.get(file)]).toEqual([file, expect.stringContaining('97.98.99')]);
      expect([file, texts.get(file)?.includes(packageVersion(PROJECT))]).toEqual([file, false]);
    }
    const others = [...filesIn('deploy'), ...filesIn('docs/operations')].filter((file) => !NAMING.includes(file));
    expect(others.filter((file) => readPage(file).includes(`:${packageVersion(PROJECT)}`))).toEqual([]);
  });

  it.each(['1.2', 'v1.2.3', '1.2.3-rc.1', '01.2.3', 'latest', ''])('%j is not a version', (version) => {
    expect(() => partsOf(version)).toThrow(`${version} is not a version.`);
  });

  it.each([
    ['1.2.3', '1.2.3', false],
    ['1.2.4', '1.2.3', true],
    ['1.10.0', '1.9.9', true],
    ['2.0.0', '1.9.9', true],
    ['1.2.3', '2.0.0', false],
  ])('whether %s is later than %s: %s', (version, other, expected) => {
    expect(isLater(version, other)).toBe(expected);
  });
});
