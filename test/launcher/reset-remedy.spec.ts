import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import type { Credentials } from '../../src/bootstrap/credentials-file.js';
import { printWelcome } from '../../src/bootstrap/welcome.js';

/** The command itself, a comment about it, and the screen of a start, which the second test reads. */
const PLACES = ['scripts/lock.js', 'scripts/reset.js', 'src/bootstrap/welcome.ts'];
const RESET = /(npm run|platform) reset/;

function screen(production: boolean, credentials: Credentials | null): string {
  const lines: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  const env = { production, baseUrl: 'http://localhost:3000', dataDir: '/data', docs: true };
  printWelcome({ ...env, surfaces: ['staff'] }, credentials);
  jest.restoreAllMocks();
  return lines.join('');
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the command that deletes all data', () => {
  it('the command that deletes all data is named by no remedy of the service, its scripts or its deployment', () => {
    const files = ['src', 'scripts', 'deploy'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    );
    const named = files.filter(
      (file) => /\.(ts|js|sh|ya?ml|md|json)$/.test(file) && RESET.test(readFileSync(file, 'utf8')),
    );
    expect(named.sort()).toEqual(PLACES);
  });

  it('the command that deletes all data is on the screen of a start in development only', () => {
    const credentials = {
      staff: { email: 'owner@example.com', password: 'x', token: 'y' },
      platformKey: 'z',
      vaultSlug: 'travelers',
      demo: { contractId: null },
    } as Credentials;
    for (const found of [credentials, null]) {
      expect(screen(true, found)).not.toMatch(RESET);
      expect(screen(false, found)).toMatch(RESET);
    }
  });
});
