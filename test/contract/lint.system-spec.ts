import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startApp } from '../setup/app.js';

const run = promisify(execFile);
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

interface Problem {
  ruleId: string;
  location: { pointer: string }[];
}

/**
 * The specification fixes the redirection of a download and the paths of policies, the reference those of price lists and the
 * download of an export. No id of a policy is `assignments`, and no product has the id `price-lists`.
 */
const FORCED = [
  'no-ambiguous-paths at #/paths/~1v1~1admin~1legal~1policies~1{id}~1versions',
  ...['activation', 'archival', 'copies', 'extras', 'options', 'questions', 'quotes', 'units'].map(
    (resource) => `no-ambiguous-paths at #/paths/~1v1~1admin~1products~1{productId}~1${resource}`,
  ),
  'operation-2xx-response at #/paths/~1v1~1admin~1attachments~1{attachmentId}~1download/get/responses',
  'operation-2xx-response at #/paths/~1v1~1admin~1customers~1{customerId}~1data-exports~1{exportId}~1download/get/responses',
  'operation-2xx-response at #/paths/~1v1~1admin~1documents~1{id}~1download/get/responses',
  'operation-2xx-response at #/paths/~1v1~1admin~1finance~1invoice-renditions~1{id}~1download/get/responses',
];

let folder: string;
let file: string;

beforeAll(async () => {
  const app = await startApp();
  folder = await mkdtemp(join(tmpdir(), 'openapi-'));
  file = join(folder, 'openapi.json');
  await writeFile(file, (await app.get('/openapi.json')).text);
});

afterAll(() => rm(folder, { recursive: true }));

/** The output of a linter. Its exit code is ignored: a warning is a failure here as well. */
async function lint(...words: string[]): Promise<string> {
  const options = { env: { ...process.env, ...QUIET, NODE_OPTIONS: '' }, maxBuffer: 2 ** 26 };
  try {
    return (await run(process.execPath, words, options)).stdout;
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    if (!stdout) throw error;
    return stdout;
  }
}

describe('the API document', () => {
  it('the API document has no error or warning of redocly lint, except those that the specification and the reference force', async () => {
    const printed = await lint('node_modules/@redocly/cli/bin/cli.js', 'lint', file, '--format=json');
    const { problems } = JSON.parse(printed) as { problems: Problem[] };
    const found = problems.map(({ ruleId, location: [place] }) => `${ruleId} at ${place?.pointer}`);
    expect(found.sort()).toEqual(FORCED);
  });

  it('the API document has no error or warning of the OpenAPI rules of Spectral', async () => {
    const spectral = 'node_modules/@stoplight/spectral-cli/dist/index.js';
    const printed = await lint(spectral, 'lint', file, '--ruleset', '.spectral.yaml', '--format', 'json', '--quiet');
    const problems = JSON.parse(printed) as { code: string; message: string; path: string[] }[];
    expect(problems.map(({ code, message, path }) => `${code}: ${message} at ${path.join('/')}`)).toEqual([]);
  });
});
