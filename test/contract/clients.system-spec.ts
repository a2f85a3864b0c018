import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startApp, type TestApp } from '../setup/app.js';

const run = promisify(execFile);
/** The folder is below the project, so that the generated code finds its packages. */
const FOLDER = join('.data', `clients-${process.pid}`);
const INVOICE = 'inv_01k0dem000e000000000000003';

/** A program against both generated clients: it prints what they return. */
const PROGRAM = `
import createFetchClient from 'openapi-fetch';
import type { paths } from './schema.js';
import { createClient } from './sdk/client/index.js';
import { invoicesGet, invoicesIssue } from './sdk/index.js';

const [, , baseUrl = '', token = '', id = ''] = process.argv;
const fetched = createFetchClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${token}\` } });
const draft = await fetched.GET('/v1/admin/finance/invoices/{id}', { params: { path: { id } } });
const before: 'draft' | 'issued' | 'partially_paid' | 'paid' | 'credited' | 'void' | undefined = draft.data?.data.status;

const client = createClient({ baseUrl, auth: token });
const body = { seriesId: 'iser_01k0dem000e000000000000001' };
const issued = await invoicesIssue({ client, path: { id }, body });
const after = issued.data?.data.status;
const again = await invoicesIssue({ client, path: { id }, body });
const code: string | undefined = again.error && 'code' in again.error ? again.error.code : undefined;
const read = await invoicesGet({ client, path: { id } });
console.log(JSON.stringify([before, after, code, read.data?.data.status]));
`;

const COMPILER = {
  compilerOptions: {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    noImplicitOverride: true,
    noImplicitReturns: true,
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    outDir: 'out',
  },
  files: ['program.ts'],
};

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await mkdir(FOLDER, { recursive: true });
  await writeFile(join(FOLDER, 'openapi.json'), (await app.get('/openapi.json')).text);
  await writeFile(join(FOLDER, 'program.ts'), PROGRAM);
  await writeFile(join(FOLDER, 'tsconfig.json'), JSON.stringify(COMPILER));
});

afterAll(() => rm(FOLDER, { recursive: true }));

async function node(...words: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, words, {
    env: { ...process.env, NODE_OPTIONS: '' },
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

describe('clients generated from the API document', () => {
  it('compile under strict settings and call the service', async () => {
    const document = join(FOLDER, 'openapi.json');
    await node('node_modules/openapi-typescript/bin/cli.js', document, '-o', join(FOLDER, 'schema.d.ts'));
    const generator = ['node_modules/@hey-api/openapi-ts/bin/run.js', '-i', document, '-o', join(FOLDER, 'sdk')];
    await node(...generator, '-c', '@hey-api/client-fetch', '--no-log-file');
    await node('node_modules/typescript/bin/tsc', '-p', FOLDER);
    const printed = await node(join(FOLDER, 'out/program.js'), app.url, app.credentials.staff.token, INVOICE);
    expect(JSON.parse(printed)).toEqual(['draft', 'issued', 'invalid_transition', 'issued']);
  }, 180_000);
});
