import { beforeAll, describe, expect, it } from '@jest/globals';
import { ContractsService } from '../../src/modules/legal/contracts/contracts.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { startApp, type TestApp } from '../setup/app.js';
import { contractIn, dispatch, eventsOf, ledgerOf, PUBLIC, read } from './contracts.js';

let app: TestApp;
const expire = () => asSystem(() => app.nest.get(ContractsService, { strict: false }).expireDue());

beforeAll(async () => {
  app = await startApp();
});

/** An instant this many milliseconds from now, by the clock of the service. */
const inMs = (ms: number) => new Date(app.now().getTime() + ms).toISOString();

describe('the personal data of a contract', () => {
  const erase = () => asSystem(() => app.nest.get(ContractsService, { strict: false }).erasePast());
  const PERSON = {
    title: 'Contract of Clara Beispiel',
    recipientName: 'Clara Beispiel',
    recipientEmail: 'clara@example.com',
  };

  it('the texts and the recipient of a contract without a booking are erased three years after the last change', async () => {
    const { id } = await contractIn(app, 'sent', { ...PERSON, metadata: { guest: 'Clara' } });
    const draft = await contractIn(app, 'draft', PERSON);
    const before = await read(app, id);
    const snapshots = `select entry_id from ledger_payloads where concat(before, after) like '%Clara Beispiel%'`;
    expect(await app.sql(snapshots)).not.toEqual([]);
    app.travel({ days: 1_090 });
    await erase();
    expect(await read(app, id)).toMatchObject({ ...PERSON, body: before['body'] });

    app.travel({ days: 10 });
    await Promise.all([erase(), erase()]);
    const { bodySha256, contractNumber, issuedAt } = before;
    const erased = { title: 'Erased contract', body: '', recipientName: null, recipientEmail: null, metadata: null };
    expect(await read(app, id)).toMatchObject({
      ...erased,
      bodySha256,
      contractNumber,
      issuedAt,
      version: before.version + 1,
    });
    expect(await read(app, draft.id)).toMatchObject(erased);
    expect((await app.get(`${PUBLIC}/${id}`)).status).toBe(404);
    expect((await ledgerOf(app, id)).at(-1)).toMatchObject({ action: 'legal.contract.erase', actorType: 'system' });
    expect(await app.sql(snapshots)).toEqual([]);
    app.travel({ days: -1_100 });
  });

  it('the text of an erased contract cannot be written again', async () => {
    const { id } = await contractIn(app, 'sent', PERSON);
    app.travel({ days: 1_100 });
    // A scheduled erasure of this application may have locked the row.
    while ((await read(app, id))['title'] !== 'Erased contract') await erase();
    const rewrite = app.sql(`update contracts set body = 'x', erased_at = now() where public_id = $1`, [id]);
    await expect(rewrite).rejects.toThrow('was issued');
    app.travel({ days: -1_100 });
  });
});

describe('the expiry of contracts', () => {
  it.each(['issued', 'sent'] as const)(
    'a contract that is %s expires once its expiresAt has passed',
    async (status) => {
      const { id, version } = await contractIn(app, status, { expiresAt: inMs(60_000) });
      await expire();
      expect((await read(app, id)).status).toBe(status);

      app.travel({ ms: 61_000 });
      await expire();
      const expired = await read(app, id);

      expect(expired).toMatchObject({ status: 'expired', version: version + 1, expiredAt: expired['updatedAt'] });
      const entry = (await ledgerOf(app, id)).at(-1);
      expect(entry).toMatchObject({
        action: 'legal.contract.expire',
        actorType: 'system',
        before: { status, version },
        after: { status: 'expired', version: version + 1 },
      });
      const event = (await eventsOf(app, id, status === 'sent' ? 3 : 2)).at(-1);
      const { contractNumber } = expired;
      expect(event).toEqual({
        event: 'contract.expired',
        data: { contractReference: expired.reference, contractNumber, version: version + 1 },
      });
    },
  );

  it.each(['draft', 'signed', 'executed', 'void'] as const)(
    'a contract in the status %s never expires',
    async (status) => {
      const { id } = await contractIn(app, status, { expiresAt: inMs(-60_000) });
      const before = await read(app, id);
      await expire();

      expect(await read(app, id)).toEqual(before);
    },
  );

  it('a contract without expiresAt never expires', async () => {
    const { id } = await contractIn(app, 'issued');
    app.travel({ days: 3650 });
    await expire();

    expect((await read(app, id)).status).toBe('issued');
  });

  it('an expired contract remains public and cannot be sent', async () => {
    const { id } = await contractIn(app, 'sent', { expiresAt: inMs(-1) });
    await expire();

    expect((await app.get(`${PUBLIC}/${id}`)).body).toMatchObject({ data: { id, status: 'expired' } });
    expect((await dispatch(app, id, { resend: true })).body.code).toBe('invalid_transition');
  });

  it('concurrent processes expire each contract once', async () => {
    const contracts = await Promise.all(
      Array.from({ length: 6 }, () => contractIn(app, 'issued', { expiresAt: inMs(-1000) })),
    );
    const counts = await Promise.all([expire(), expire(), expire()]);

    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(contracts.length);
    for (const { id } of contracts) {
      const expiries = (await ledgerOf(app, id)).filter(({ action }) => action === 'legal.contract.expire');
      expect(expiries).toHaveLength(1);
    }
  });

  it('a job expires contracts every five minutes', async () => {
    const [{ definition } = { definition: '' }] = await app.sql<{ definition: string }>(
      `select identifier as definition from graphile_worker._private_known_crontabs where identifier = 'legal.contracts.expire'`,
    );
    expect(definition).toBe('legal.contracts.expire');
  });
});
