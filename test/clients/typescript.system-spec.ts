import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { findChromium } from '../../scripts/browser/chromium.js';
import { newClient, newOperator } from '../connect/partners.js';
import { PROJECT } from '../launcher/folders.js';
import { startApp, type TestApp } from '../setup/app.js';

const run = promisify(execFile);
const PACKAGE = join(PROJECT, 'clients/typescript');
/** Below the project, so that the installed package finds its dependency. */
const FOLDER = join(PROJECT, '.data', `client-${process.pid}`);
/** Five sixths of them are the types of the API document. */
const MOST_BYTES = 45_000;
const WITHIN_MS = 180_000;

const COMPILER = {
  compilerOptions: {
    ...{ target: 'es2022', module: 'nodenext', strict: true, exactOptionalPropertyTypes: true, types: [] },
    ...{ lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], rootDir: '.', outDir: 'out' },
  },
  files: ['program.ts', 'readme.ts'],
};
const EXPECTED = {
  isComplete: true,
  several: true,
  seen: ['customers customer.created', 'customers customer.created'],
  grants: true,
  unknown: [404, true, 'string'],
  invalid: ['invalid_request', true],
};

/** What the example in the README takes for granted. */
const GIVEN = `
declare const token: string;
declare const bookingId: string;
declare const received: string;
declare const request: Request;
declare const secret: string;
declare const formerSecret: string;
declare const readAgain: (channel: string) => void;
`;

async function exampleOfReadme(): Promise<string> {
  const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8');
  const [, example] = /```ts\n(.*?)```/s.exec(readme) ?? [];
  if (example === undefined) throw new Error('The README of the client has no example');
  return example;
}

let app: TestApp;
let options: Record<string, string>;
let packedBytes: number;

/** Packs the client and unpacks it where the program finds it, as `npm install` does without a registry. */
beforeAll(async () => {
  app = await startApp();
  const operatorId = await newOperator(app);
  const { clientId, clientSecret } = await newClient(app, operatorId, { scopes: ['connect:grants:read'] });
  options = { baseUrl: app.url, staff: app.credentials.staff.token, clientId, clientSecret, operatorId };
  const installed = join(FOLDER, 'node_modules/travel-operations-client');
  await mkdir(installed, { recursive: true });
  await node(join(PROJECT, 'scripts/client.js'));
  await run('npm', ['pack', '--pack-destination', FOLDER], { cwd: PACKAGE });
  const [packed = ''] = (await readdir(FOLDER)).filter((name) => name.endsWith('.tgz'));
  packedBytes = (await stat(join(FOLDER, packed))).size;
  await run('tar', ['-xzf', join(FOLDER, packed), '--strip-components=1', '-C', installed]);
  await writeFile(join(FOLDER, 'program.ts'), await readFile(join(import.meta.dirname, 'program.ts.txt')));
  await writeFile(join(FOLDER, 'readme.ts'), `${GIVEN}${await exampleOfReadme()}`);
  await writeFile(join(FOLDER, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(FOLDER, 'tsconfig.json'), JSON.stringify(COMPILER));
  await node(join(PROJECT, 'node_modules/typescript/bin/tsc'), '-p', FOLDER);
}, WITHIN_MS);

afterAll(() => rm(FOLDER, { recursive: true, force: true }));

async function node(...words: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, words, { env: { ...process.env, NODE_OPTIONS: '' } });
  return stdout;
}

describe('the package of the typed client', () => {
  it('is small and needs openapi-fetch only', async () => {
    process.stdout.write(`${packedBytes} bytes packed\n`);
    expect(packedBytes).toBeLessThan(MOST_BYTES);
    const text = await readFile(join(FOLDER, 'node_modules/travel-operations-client/package.json'), 'utf8');
    expect(Object.keys((JSON.parse(text) as { dependencies: object }).dependencies)).toEqual(['openapi-fetch']);
  });

  it(
    'reads lists, follows events, renews tokens and names errors in Node.js',
    async () => {
      const call = `import('./program.js').then(async ({ program }) => {
        console.log(JSON.stringify(await program(JSON.parse(process.argv[1]))));
        process.exit(0);
      })`;
      const words = ['--input-type=module', '-e', call, JSON.stringify(options)];
      const { stdout } = await run(process.execPath, words, {
        cwd: join(FOLDER, 'out'),
        env: { ...process.env, NODE_OPTIONS: '' },
      });
      expect(JSON.parse(stdout)).toEqual(EXPECTED);
    },
    WITHIN_MS,
  );

  it(
    'does the same in a browser',
    async () => {
      const executablePath = findChromium();
      if (executablePath === null) {
        process.stdout.write('not run: chromium\n');
        return;
      }
      const { outputFiles } = await build({
        entryPoints: [join(FOLDER, 'out/program.js')],
        ...{ bundle: true, write: false, format: 'iife', globalName: 'client', target: 'es2022' },
      });
      const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
      try {
        const page = await (await browser.newContext({ bypassCSP: true })).newPage();
        await page.goto(`${app.url}/docs`);
        await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
        const found: unknown = await page.evaluate(`client.program(${JSON.stringify(options)})`);
        expect(found).toEqual(EXPECTED);
      } finally {
        await browser.close();
      }
    },
    WITHIN_MS,
  );
});
