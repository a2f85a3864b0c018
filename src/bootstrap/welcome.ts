import { type Credentials, credentialsPath } from './credentials-file.js';
import type { Env } from '../platform/config/env.js';

const FIRST_CONTRACT = { title: 'My first contract', body: '<p>Hello</p>' };
const PASSPORT = { plaintext: 'P1234567' };
const LANGUAGES = '/data/geo/v1/reference/languages';
/** Shows the credentials and three commands to try. */
const LINES = 9;

/** Prints one line of progress with a step and its duration. */
export function stepLine(title: string, milliseconds: number): string {
  return `  ${title.padEnd(44)} ${(milliseconds / 1000).toFixed(1)} s`;
}

export function printStep(title: string, milliseconds: number): void {
  printLine(stepLine(title, milliseconds));
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

type Shown = Pick<Env, 'production' | 'baseUrl' | 'dataDir' | 'docs' | 'surfaces'>;

/** Renders the screen at the end of a start, with addresses, credentials, and how to stop. */
export function printWelcome(env: Shown, credentials: Credentials | null): void {
  const { baseUrl } = env;
  const docs = env.docs
    ? `\nSwagger UI ${baseUrl}/docs   Scalar ${baseUrl}/reference   OpenAPI ${baseUrl}/openapi.json`
    : '';
  const sections = [
    `Ready. API ${baseUrl}${docs}`,
    ...(env.production ? [] : [credentials ? access(env, credentials) : missingCredentials(env)]),
    `Data       ${env.dataDir}\nStop       Ctrl-C${env.production ? '' : '          Reset      npm run reset'}`,
  ];
  process.stdout.write(`\n${sections.join('\n\n')}\n\n`);
}

function access(env: Shown, { staff, platformKey, vaultSlug, demo }: Credentials): string {
  const serves = (surface: string) => env.surfaces.includes(surface);
  return [
    `Staff      ${staff.email} / ${staff.password}`,
    `  token    ${staff.token}`,
    `Platform   ${platformKey}`,
    `           (all credentials, and a key with fewer scopes: ${credentialsPath(env.dataDir)})`,
    '',
    'Try it:',
    ...(demo.contractId !== null && serves('storefront')
      ? [`  curl ${env.baseUrl}/v1/public/legal/contracts/${demo.contractId}`]
      : []),
    ...(serves('staff') ? [posting(`${env.baseUrl}/v1/admin/legal/contracts`, staff.token, FIRST_CONTRACT)] : []),
    ...(serves('vault') ? [posting(`${env.baseUrl}/vault/v1/${vaultSlug}/encrypt`, platformKey, PASSPORT)] : []),
    ...(serves('data') ? [`  curl -H 'Authorization: Bearer ${platformKey}' ${env.baseUrl}${LANGUAGES}`] : []),
  ]
    .slice(0, LINES)
    .join('\n');
}

function posting(url: string, token: string, body: object): string {
  return `  curl ${url} -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}

function missingCredentials(env: Shown): string {
  const path = credentialsPath(env.dataDir);
  return [
    `The credentials of this database are from an earlier start, but ${path} is missing or belongs to another database.`,
    'Passwords and tokens are stored as hashes and cannot be shown again. Restore the file (the first start of another',
    `database renames it to ${path}.earlier), delete all data with \`npm run reset\`, or create new`,
    'credentials with `platform provision <file>` (sections users and platformKeys).',
  ].join('\n');
}
