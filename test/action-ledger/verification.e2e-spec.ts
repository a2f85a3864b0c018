import { beforeAll, describe, expect, it } from '@jest/globals';
import { ActionLedger } from '../../src/modules/action-ledger/index.js';
import { LedgerVerificationService } from '../../src/modules/action-ledger/verification/ledger-verification.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { startApp, type TestApp } from '../setup/app.js';
import { channelWithEntries, unique, verifyByCommand } from './ledger.js';

let app: TestApp;
beforeAll(async () => {
  // Jobs are disabled, so that nothing else writes meanwhile.
  app = await startApp({ env: { JOBS: 'false' } });
});

const verify = () => app.nest.get(LedgerVerificationService).verify();

describe('an unchanged ledger', () => {
  it('an unchanged ledger is consistent, and `ledger verify` exits with 0', async () => {
    await channelWithEntries(app, 3);
    const [row] = await app.sql<{ count: number }>('select count(*)::int as count from action_ledger_entries');

    const { newestCheckpointAt: newest, ...verification } = await verify();
    const intact = { erasedPayloads: 0, breaks: [], findings: [], checkpoints: 1, nextChain: null };
    expect(verification).toEqual({ entries: row?.count, ...intact });
    expect(await verifyByCommand()).toEqual({
      code: 0,
      output: `Verified ${row?.count} entries, of which 0 have erased payloads, and 1 checkpoints, the newest of ${newest}\n`,
    });
  });

  it('a long chain is consistent across the batches in which it is read', async () => {
    const before = await verify();
    const subject = { subjectType: 'test', subjectId: unique('long') };
    const write = async () => {
      for (let n = 0; n < 2_001; n += 1) app.nest.get(ActionLedger).record('test.long', { ...subject, after: { n } });
    };
    await asSystem(() => app.nest.get(Database).transaction(write));

    expect(await verify()).toEqual({ ...before, entries: before.entries + 2_001 });
  });

  it('the ledger is consistent during concurrent writes', async () => {
    const writing = Promise.all(Array.from({ length: 20 }, () => channelWithEntries(app, 3)));
    const verified = [await verify(), await verify(), await verify()];
    await writing;

    expect(verified.flatMap(({ breaks }) => breaks)).toEqual([]);
  });
});
