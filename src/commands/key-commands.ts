import { type CommandContext, EXIT_FAILED, type Outcome, ProgressReport } from './command.js';
import { ActionLedger } from '../modules/action-ledger/index.js';
import { VaultKeysService } from '../modules/vault/index.js';
import { asSystem } from '../platform/context/request-context.js';
import { Database } from '../platform/database/database.js';
import { type Rotation, ServiceKeys } from '../platform/keys/service-keys.js';

/** Replaces the key that signs links and cursors; existing ones stay valid for a day. */
export async function rotateSigningKey(context: CommandContext): Promise<Outcome> {
  const { version, activeAt } = await recorded(context, 'platform.signing_key.rotate', (keys) =>
    keys.rotate('signing'),
  );
  const lines = [`Signing key ${version} signs links and cursors from ${activeAt.toISOString()}`];
  return { result: { version, activeAt }, lines };
}

/** Immediately replaces the key that signs links and cursors; all existing ones become invalid. */
export async function revokeSigningKeys(context: CommandContext): Promise<Outcome> {
  const { version, activeAt } = await recorded(context, 'platform.signing_key.revoke', (keys) => keys.revoke());
  const lines = [`Signing key ${version} replaces all others; earlier links and cursors are invalid`];
  return { result: { version, activeAt }, lines };
}

/** Wraps all stored keys with the primary key-encryption key, and names the keys that need another one. */
export async function rewrapKeys({ app, tools }: CommandContext): Promise<Outcome> {
  const progress = new ProgressReport(tools, 'wrapping the keys of the vault', 'keys');
  const results = await asSystem(async () => [
    await app.get(ServiceKeys).rewrap(),
    await app.get(VaultKeysService).rewrapAll((done, all) => progress.update(done, all)),
  ]);
  progress.end();
  const failed = results.flatMap((each) => each.failed);
  const rewrapped = results.reduce((sum, each) => sum + each.rewrapped, 0);
  const faults = failed.map((key) => `${key}: the key-encryption key is missing or wrong`);
  const done = 'All stored keys are wrapped with the primary key-encryption key; others are not needed';
  const isDone = failed.length === 0;
  return { exitCode: isDone ? 0 : EXIT_FAILED, result: { rewrapped, failed }, lines: isDone ? [done] : [], faults };
}

async function recorded(
  { app }: CommandContext,
  action: string,
  change: (keys: ServiceKeys) => Promise<Rotation>,
): Promise<Rotation> {
  return asSystem(() =>
    app.get(Database).transaction(async () => {
      const rotation = await change(app.get(ServiceKeys));
      const { version, activeAt } = rotation;
      const after = { version, activeAt: activeAt.toISOString() };
      app.get(ActionLedger).record(action, { subjectType: 'signing_key', subjectId: 'signing', after });
      return rotation;
    }),
  );
}
