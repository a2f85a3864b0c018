import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stampOfSources } from '../../scripts/build.js';
import { newFolder, PROJECT } from '../launcher/folders.js';
import { PACKAGE_VERSION } from '../setup/package-version.js';

const WITHIN_MS = 600_000;
const AUTHOR = { name: 'Release', email: 'release@example.test' };
const REMOVED = 'GET /v1/admin/removed: the operation was removed (it is not deprecated)';
const [MAJOR = 0, MINOR = 0] = PACKAGE_VERSION.split('.').map(Number);
const NEXT = `${MAJOR}.${MINOR + 1}.0`;
const NEXT_MAJOR = `${MAJOR + 1}.0.0`;

interface Bill {
  bomFormat: string;
  metadata: { component: { version: string; 'bom-ref': string } };
  components: { name: string }[];
}

const clone = join(newFolder({ open: true }), 'clone');

/** Runs without a network and with the database of this test file, on which the build of the clone makes its API document. */
function run(program: string, ...words: string[]) {
  const env = {
    ...process.env,
    ...{ NODE_OPTIONS: '', npm_config_offline: 'true', GIT_CONFIG_GLOBAL: '/dev/null' },
    ...{ GIT_AUTHOR_NAME: AUTHOR.name, GIT_AUTHOR_EMAIL: AUTHOR.email },
    ...{ GIT_COMMITTER_NAME: AUTHOR.name, GIT_COMMITTER_EMAIL: AUTHOR.email },
  };
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: clone, env, encoding: 'utf8' });
  return { code: status, stdout, output: `${stdout}${stderr}` };
}

function git(...words: string[]): string {
  const { code, stdout, output } = run('git', ...words);
  if (code !== 0) throw new Error(output);
  return stdout.trim();
}

const release = (...words: string[]) => run(process.execPath, 'scripts/release.js', ...words);
const read = (file: string) => readFileSync(join(clone, file), 'utf8');
const json = <T = Record<string, unknown>>(file: string) => JSON.parse(read(file)) as T;
const write = (file: string, text: string) => writeFileSync(join(clone, file), text);

function commitAll(message: string): void {
  git('add', '--all');
  git('commit', '--quiet', '--message', message);
}

/** The working tree as the only commit of a repository. */
function makeClone(): void {
  mkdirSync(clone);
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: PROJECT,
    encoding: 'utf8',
  });
  for (const file of listed.stdout.split('\n').filter((name) => name !== '' && existsSync(join(PROJECT, name)))) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(PROJECT, file), join(clone, file));
  }
  symlinkSync(join(PROJECT, 'node_modules'), join(clone, 'node_modules'));
  // The build that these tests run against.
  cpSync(join(PROJECT, 'dist'), join(clone, 'dist'), { recursive: true });
  writeFileSync(join(clone, 'dist/.built'), stampOfSources());
  git('init', '--quiet', '--initial-branch', 'main');
  const changelog = read('CHANGELOG.md').replace('## Unreleased\n', '## Unreleased\n\n- A change of this test\n');
  write('CHANGELOG.md', changelog);
  commitAll('chore: begin');
}

const hasGit = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: PROJECT }).status === 0;
if (!hasGit) process.stdout.write('not run: release (this folder has no git history)\n');
const describeWithGit = hasGit ? describe : describe.skip;

describeWithGit('npm run release', () => {
  beforeAll(makeClone, WITHIN_MS);
  afterAll(() => rmSync(dirname(clone), { recursive: true, force: true }));

  /** Expects the error, and that nothing has changed. */
  function expectRejected(words: string[], message: string): string {
    const before = git('rev-parse', 'HEAD');
    const { code, output } = release(...words);
    expect([code === 0, output]).toEqual([false, expect.stringContaining(message)]);
    expect([git('rev-parse', 'HEAD'), git('tag', '--list')]).toEqual([before, '']);
    return output;
  }

  it.each([
    [[], 'is not a version'],
    [['1.2'], '1.2 is not a version'],
    [[NEXT, 'now'], 'Unknown: now'],
    [['0.0.1'], `0.0.1 is earlier than the present version ${PACKAGE_VERSION}`],
  ])('npm run release rejects the words %j', (words, message) => {
    expectRejected(words, message);
  });

  it('npm run release rejects a working tree with changes, and another branch', () => {
    write('forgotten.txt', 'text');
    expect(expectRejected([NEXT], 'The working tree has changes')).toContain('forgotten.txt');
    rmSync(join(clone, 'forgotten.txt'));
    git('switch', '--quiet', '--create', 'feature');
    expectRejected([NEXT], 'The branch is feature');
    git('switch', '--quiet', 'main');
    git('branch', '--delete', 'feature');
  });

  it(
    'a breaking change is rejected until it is accepted, and then needs a new major version',
    () => {
      const released = json<{ paths: Record<string, object> }>('releases/v1.json');
      released.paths['/v1/admin/removed'] = { get: { operationId: 'removed_get', responses: {} } };
      write('releases/v1.json', JSON.stringify(released));
      commitAll('test: remove an operation');
      expect(expectRejected([NEXT], 'The API document breaks clients of')).toContain(REMOVED);

      write('releases/accepted-changes.json', JSON.stringify([{ change: REMOVED, reason: 'Replaced' }]));
      commitAll('test: accept it');
      expect(expectRejected([NEXT], `${NEXT} is not a new major version`)).toContain(REMOVED);
      expect(release(NEXT_MAJOR, '--dry-run')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`${NEXT_MAJOR} can be released`),
      });

      git('revert', '--no-edit', 'HEAD', 'HEAD~1');
    },
    WITHIN_MS,
  );

  it(
    'npm run release makes one commit and its tag, with the version, the changelog, the API document and the bill of materials',
    () => {
      const before = git('rev-parse', 'HEAD');
      expect(release(NEXT, '--dry-run').code).toBe(0);
      expect([git('rev-parse', 'HEAD'), git('status', '--porcelain')]).toEqual([before, '']);

      const { code, stdout, output } = release(NEXT);
      expect([code, output]).toEqual([0, output]);
      expect([git('rev-parse', 'HEAD~1'), git('status', '--porcelain')]).toEqual([before, '']);
      expect(git('log', '-1', '--format=%s')).toBe(`chore(release): ${NEXT}`);
      expect(git('rev-parse', `v${NEXT}^{commit}`)).toBe(git('rev-parse', 'HEAD'));
      expect(stdout).toContain(
        `docker build --build-arg VERSION=${NEXT} --build-arg REVISION=$(git rev-parse v${NEXT}^{commit}) ` +
          `--tag registry.example.com/travel-operations-platform:${NEXT} .`,
      );

      // Both files keep npm's format.
      for (const [file, changes] of [
        ['package.json', 1],
        ['package-lock.json', 2],
      ] as const) {
        const lines = git('show', `HEAD~1:${file}`).split('\n');
        const changed = read(file)
          .trim()
          .split('\n')
          .filter((line, index) => line !== lines[index]);
        expect([file, changed]).toEqual([file, Array(changes).fill(expect.stringContaining(`"version": "${NEXT}"`))]);
      }
      expect([json('package.json')['version'], json('package-lock.json')['version']]).toEqual([NEXT, NEXT]);
      expect(read('deploy/kubernetes/kustomization.yaml')).toContain(`newTag: ${NEXT}\n`);
      expect(read('docs/operations/image.md')).toContain(`VERSION=${NEXT} `);
      for (const image of read('docs/operations/image.md').match(/travel-operations-platform:\d\S*/g) ?? []) {
        expect(image).toBe(`travel-operations-platform:${NEXT}`);
      }
      expect(read('CHANGELOG.md')).toMatch(
        new RegExp(
          `## Unreleased\n\n## ${NEXT.replaceAll('.', '\\.')} - \\d{4}-\\d\\d-\\d\\d\n\n- A change of this test\n`,
        ),
      );
      expect(json<{ info: object }>('releases/v1.json').info).toMatchObject({ 'x-release': NEXT });
    },
    WITHIN_MS,
  );

  it('the bill of materials of a release names the version and contains no path of this machine', () => {
    const bill = json<Bill>('releases/sbom.json');
    expect(bill.bomFormat).toBe('CycloneDX');
    expect(bill.metadata.component).toMatchObject({
      version: NEXT,
      'bom-ref': `travel-operations-platform@${NEXT}`,
    });
    const names = bill.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['express', 'pg']));
    expect(names).not.toContain('jest');
    for (const path of [clone, basename(dirname(clone)), PROJECT]) {
      expect(read('releases/sbom.json')).not.toContain(path);
    }
  });

  it('a version is released once', () => {
    const { code, output } = release(NEXT);
    expect([code, output]).toEqual([78, expect.stringContaining(`The tag v${NEXT} exists`)]);
  });
});
