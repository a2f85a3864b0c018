#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Conversation } from './smoke/conversation.js';
import { scenarios } from './smoke/scenarios.js';

/*
 * npm run smoke -- [url]: drives a running service through every operation that its API document names, over plain HTTP,
 * with rows of its own. Credentials come from DATA_DIR/credentials.json (.data) or SMOKE_STAFF_TOKEN, SMOKE_STAFF_EMAIL,
 * SMOKE_STAFF_PASSWORD, SMOKE_PLATFORM_KEY, SMOKE_OPERATOR_ID, SMOKE_PROVIDER_KEY and SMOKE_VAULT_SLUG.
 */
let credentials;
try {
  credentials = readCredentials();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(78);
}
const url = process.argv[2] ?? credentials.baseUrl ?? 'http://127.0.0.1:3000';
const conversation = new Conversation(url);

for (const [title, scenario] of Object.entries(scenarios)) {
  process.stdout.write(`\n${title}\n`);
  try {
    await scenario(conversation, credentials);
  } catch (error) {
    conversation.report(false, `${title} was not finished: ${error instanceof Error ? error.message : String(error)}`);
  }
}
process.stdout.write('\nevery operation of the API document\n');
await conversation.reportUncovered();

const { passed, failed } = conversation;
process.stdout.write(`\n${passed} ok, ${failed} FAIL\n`);
process.exitCode = failed === 0 ? 0 : 1;

function readCredentials() {
  const env = process.env;
  let file = {};
  try {
    file = JSON.parse(readFileSync(join(env.DATA_DIR ?? '.data', 'credentials.json'), 'utf8'));
  } catch (error) {
    if (!env.SMOKE_STAFF_TOKEN)
      throw new Error('No credentials.json; start the service once or set SMOKE_*', { cause: error });
  }
  return {
    ...file,
    staff: {
      email: env.SMOKE_STAFF_EMAIL ?? file.staff?.email,
      password: env.SMOKE_STAFF_PASSWORD ?? file.staff?.password,
      token: env.SMOKE_STAFF_TOKEN ?? file.staff?.token,
    },
    platformKey: env.SMOKE_PLATFORM_KEY ?? file.platformKey,
    operatorId: env.SMOKE_OPERATOR_ID ?? file.operatorId ?? 'op_demo',
    providerKey: env.SMOKE_PROVIDER_KEY ?? file.providerKey ?? 'demo-activities',
    vaultSlug: env.SMOKE_VAULT_SLUG ?? file.vaultSlug ?? 'primary',
  };
}
