import type { NestExpressApplication } from '@nestjs/platform-express';
import { ActionLedger } from './modules/action-ledger/index.js';
import { VaultKeysService } from './modules/vault/index.js';
import { asSystem } from './platform/context/request-context.js';
import { Database } from './platform/database/database.js';
import { type Rotation, ServiceKeys } from './platform/keys/service-keys.js';

const KEYS_NOT_UNWRAPPED = 1;

/** Replaces the key that signs links and cursors; those that exist stay valid for a day. */
export async function rotateSigningKey(app: NestExpressApplication): Promise<number> {
  const { version, activeAt } = await recorded(app, 'platform.signing_key.rotate', () =>
    app.get(ServiceKeys).rotate('signing'),
  );
  process.stdout.write(`Signing key ${version} signs links and cursors from ${activeAt.toISOString()}\n`);
  return 0;
}

/** Replaces the key that signs links and cursors at once; all that exist are invalid. */
export async function revokeSigningKeys(app: NestExpressApplication): Promise<number> {
  const { version } = await recorded(app, 'platform.signing_key.revoke', () => app.get(ServiceKeys).revoke());
  process.stdout.write(`Signing key ${version} replaces all others; earlier links and cursors are invalid\n`);
  return 0;
}

/** Wraps all stored keys with the primary key-encryption key, and names those that need another one. */
export async function rewrapKeys(app: NestExpressApplication): Promise<number> {
  const results = await asSystem(async () => [
    await app.get(ServiceKeys).rewrap(),
    await app.get(VaultKeysService).rewrapAll(),
  ]);
  const failed = results.flatMap((result) => result.failed);
  for (const key of failed) process.stderr.write(`${key}: the key-encryption key is missing or wrong\n`);
  if (failed.length > 0) return KEYS_NOT_UNWRAPPED;
  process.stdout.write('All stored keys are wrapped with the primary key-encryption key; others are not needed\n');
  return 0;
}

async function recorded(
  app: NestExpressApplication,
  action: string,
  change: () => Promise<Rotation>,
): Promise<Rotation> {
  return asSystem(() =>
    app.get(Database).transaction(async () => {
      const rotation = await change();
      const { version, activeAt } = rotation;
      const after = { version, activeAt: activeAt.toISOString() };
      app.get(ActionLedger).record(action, { subjectType: 'signing_key', subjectId: 'signing', after });
      return rotation;
    }),
  );
}
