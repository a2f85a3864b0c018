import { type Credentials, credentialsPath } from './credentials-file.js';
import type { Env } from './platform/config/env.js';

/** One line of progress: what was done and how long it took. */
export function printStep(title: string, milliseconds: number): void {
  process.stdout.write(`  ${title.padEnd(44)} ${(milliseconds / 1000).toFixed(1)} s\n`);
}

/** The screen that a start ends with: where everything is, how to get in, and how to stop. */
export function printWelcome(env: Env, credentials: Credentials | null): void {
  const { baseUrl } = env;
  const sections = [
    `Ready. API ${baseUrl}   Swagger UI ${baseUrl}/docs   OpenAPI ${baseUrl}/openapi.json`,
    ...(env.production ? [] : [credentials ? access(env, credentials) : lostCredentials(env)]),
    `Data       ${env.dataDir}\nStop       Ctrl-C${env.production ? '' : '          Start anew   npm run reset'}`,
  ];
  process.stdout.write(`\n${sections.join('\n\n')}\n\n`);
}

function access(env: Env, { staff, platformKey, vaultSlug }: Credentials): string {
  return [
    `Staff      ${staff.email} / ${staff.password}`,
    `  token    ${staff.token}`,
    `Platform   ${platformKey}`,
    `           (all of it, and a key with fewer scopes: ${credentialsPath(env.dataDir)})`,
    '',
    'Try it:',
    `  curl -H 'Authorization: Bearer ${staff.token}' ${env.baseUrl}/v1/admin/distribution/channels`,
    `  curl -H 'Authorization: Bearer ${platformKey}' -H 'Content-Type: application/json' -d '{"plaintext":"P1234567"}' ${env.baseUrl}/vault/v1/${vaultSlug}/encrypt`,
    `  curl -H 'Authorization: Bearer ${platformKey}' ${env.baseUrl}/data/geo/v1/reference/languages`,
  ].join('\n');
}

function lostCredentials(env: Env): string {
  return [
    `This database was filled by an earlier start, but ${credentialsPath(env.dataDir)} is gone.`,
    'Passwords and tokens are stored as hashes and cannot be shown again. Bring the file back, or begin anew',
    'with `npm run reset`, or make new ones with `npm run provision -- <file.json>` (sections users, platformKeys).',
  ].join('\n');
}
