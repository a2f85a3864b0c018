import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { stampBundle } from '../../scripts/bundle/build-stamp.js';
import { serviceProgram } from '../../scripts/service.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bundle-'));
  mkdirSync(join(root, 'dist/service'), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const build = (content: string) => writeFileSync(join(root, 'dist/.tsbuildinfo'), content);
const program = () => serviceProgram(root).slice(root.length + 1);

describe('the files of a bundle', () => {
  it('the bundle is used only if it was made from the present build', () => {
    build('one');
    expect(program()).toBe('dist/src/main.js');
    stampBundle(root);
    expect(program()).toBe('dist/service/start.cjs');
    build('another');
    expect(program()).toBe('dist/src/main.js');
  });

  it.each(['without the compiled code', 'with the compiled code of another bundle'])(
    'a bundle starts %s',
    async (kind) => {
      const folder = join(root, 'dist/service');
      const service = join(folder, 'service.cjs');
      copyFileSync('scripts/bundle/start.cjs', join(folder, 'start.cjs'));
      writeFileSync(service, `(function (exports) { exports.startService = () => console.log('started'); })`);
      if (kind.startsWith('with the')) writeFileSync(`${service}.cache`, 'other');
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'start.cjs')], {
        env: { ...process.env, NODE_OPTIONS: '' },
      });
      expect(stdout).toBe('started\n');
    },
  );
});
