import { beforeAll, describe, expect, it } from '@jest/globals';
import { ReversalHandlers } from '../../src/modules/action-ledger/entries/reversal-handlers.js';
import { channelWithEntries, ENTRIES, newChannel } from '../action-ledger/ledger.js';
import { type Detail, entryOf, REASON, type ErrorBody } from '../action-ledger/reversals.js';
import { contractIn } from '../legal/contracts.js';
import { startApp, type TestApp } from '../setup/app.js';
import { tokenWith } from '../setup/staff-token.js';

const CREATE = 'distribution.channel.create';
const UPDATE = 'distribution.channel.update';
const MARK = 'only readers of distribution may see this';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const withScopes = async (...scopes: string[]) => app.with(await tokenWith(app, scopes));
const detailOf = async (scopes: string[], id: string) =>
  (await (await withScopes(...scopes)).get<{ data: Detail & { missingScope: string | null } }>(`${ENTRIES}/${id}`)).body
    .data;

describe('the scope of a reversal', () => {
  it('the scope of a reversal is that of the route which performs the action, and that of the effect', () => {
    const handlers = app.nest.get(ReversalHandlers, { strict: false });
    const scopes = Object.fromEntries(
      ['finance.supplier_invoice.create', 'finance.supplier_invoice.approve', 'finance.payment.record', CREATE].map(
        (action) => [action, handlers.scopesOf(action)],
      ),
    );
    expect(scopes).toEqual({
      'finance.supplier_invoice.create': ['finance:write', 'finance:void'],
      'finance.supplier_invoice.approve': ['finance:approve'],
      'finance.payment.record': ['finance:write'],
      [CREATE]: ['distribution:write'],
    });
  });

  it('action-ledger:reverse alone reverses nothing: 403 names the missing scope', async () => {
    const channelId = await newChannel(app);
    const { id } = await entryOf(app, channelId, CREATE);
    const client = await withScopes('action-ledger:*', 'action-ledger:reverse', 'distribution:read');
    const answer = await client.post<ErrorBody>(`${ENTRIES}/${id}/reversals`, { reason: REASON });

    expect([answer.status, answer.body.code, answer.body.details]).toEqual([
      403,
      'forbidden',
      { requiredScope: 'distribution:write' },
    ]);
    expect((await entryOf(app, channelId, CREATE)).reversedByEntryId).toBeNull();
  });

  it('the withdrawal of the scope is effective for a replay of the reversal, too', async () => {
    const { id } = await entryOf(app, await newChannel(app), CREATE);
    const headers = { 'Idempotency-Key': `reversal-${id}` };
    const token = await tokenWith(app, ['action-ledger:reverse', 'distribution:write']);
    const first = await app.with(token).post(`${ENTRIES}/${id}/reversals`, { reason: REASON }, { headers });
    expect(first.status).toBe(201);
    await app.sql(
      `update api_tokens set scopes = array['action-ledger:reverse'] where scopes @> array['action-ledger:reverse'] and
       public_id = split_part($1, '_', 2)`,
      [token],
    );
    const later = await startApp();
    const again = await later.with(token).post(`${ENTRIES}/${id}/reversals`, { reason: REASON }, { headers });
    expect([again.status, again.body]).toMatchObject([403, { details: { requiredScope: 'distribution:write' } }]);
  });

  it('a caller without the read scope reverses without seeing the states', async () => {
    const { id } = await entryOf(app, await newChannel(app, { description: MARK }), CREATE);
    const client = await withScopes('action-ledger:reverse', 'distribution:write');
    const { status, body, text } = await client.post<{ data: Detail }>(`${ENTRIES}/${id}/reversals`, {
      reason: REASON,
    });

    expect([status, body.data]).toMatchObject([201, { before: null, after: null, missingScope: 'distribution:read' }]);
    expect(text).not.toContain(MARK);
  });
});

describe('the states in ledger entries', () => {
  it('the states in ledger entries are shown with the read scope of the module only', async () => {
    const channelId = await newChannel(app, { description: MARK });
    const { id } = await entryOf(app, channelId, CREATE);

    expect(await detailOf(['action-ledger:read', 'distribution:read'], id)).toMatchObject({
      after: { description: MARK },
      missingScope: null,
    });
    for (const scopes of [['action-ledger:*'], ['action-ledger:read', 'finance:*', 'distribution:write']]) {
      const detail = await detailOf(scopes, id);
      expect(detail).toMatchObject({ id, before: null, after: null, missingScope: 'distribution:read' });
      expect(JSON.stringify(detail)).not.toContain(MARK);
    }
  });

  it('the states in ledger entries of a reversal are shown with the same scope as those of the action', async () => {
    const { id } = await entryOf(app, await newChannel(app), CREATE);
    const reversal = await app.as('owner').post<{ data: Detail }>(`${ENTRIES}/${id}/reversals`, { reason: REASON });
    const detail = await detailOf(['action-ledger:read'], reversal.body.data.id);
    expect(detail).toMatchObject({ before: null, after: null, missingScope: 'distribution:read' });
  });

  it('the states in ledger entries of modules without a scope for staff are shown to holders of * only', async () => {
    const owner = app.as('owner');
    const { body } = await owner.get<{ data: { id: string }[] }>(`${ENTRIES}?action=platform.demo.load`);
    const id = body.data[0]?.id ?? '';
    expect(await detailOf(['*'], id)).toMatchObject({ after: { demo: true }, missingScope: null });
    expect(await detailOf(['action-ledger:*', 'identity:*'], id)).toMatchObject({ after: null, missingScope: '*' });
  });

  it('the states in ledger entries are in no list, export or verification, and no filter depends on them', async () => {
    const channelId = await channelWithEntries(app, 2);
    await app.as('owner').patch(`/v1/admin/distribution/channels/${channelId}`, { description: MARK });
    const client = await withScopes('action-ledger:read');
    const paths = [
      `${ENTRIES}?subjectId=${channelId}`,
      `${ENTRIES}/export?subjectId=${channelId}`,
      '/v1/admin/action-ledger/verify?chain=1',
    ];
    for (const path of paths) {
      const { status, text } = await client.get(path);
      expect([status, text.includes(MARK), text.includes('"after"')]).toEqual([200, false, false]);
    }
    for (const filter of ['after', 'before', 'search', 'changed']) {
      expect((await client.get(`${ENTRIES}?${filter}=${encodeURIComponent(MARK)}`)).status).toBe(400);
    }
  });

  it('the preview of a reversal, which shows them, is 403 without the read scope', async () => {
    const channelId = await channelWithEntries(app, 2);
    const { id } = await entryOf(app, channelId, UPDATE);
    const without = await (
      await withScopes('action-ledger:read', 'distribution:write')
    ).get<ErrorBody>(`${ENTRIES}/${id}/reversal-preview`);
    const reader = await withScopes('action-ledger:read', 'distribution:read');

    expect([without.status, without.body.details]).toEqual([403, { requiredScope: 'distribution:read' }]);
    expect((await reader.get(`${ENTRIES}/${id}/reversal-preview`)).status).toBe(200);
  });

  it('the states in ledger entries of a contract need legal:read and never contain its id', async () => {
    const { id, reference } = await contractIn(app, 'issued');
    const entry = await entryOf(app, reference, 'legal.contract.issue');
    const detail = await detailOf(['action-ledger:read', 'legal:read'], entry.id);
    expect(detail).toMatchObject({ subjectId: reference, after: { status: 'issued' } });
    expect(JSON.stringify(detail)).not.toContain(id);
    expect(await detailOf(['action-ledger:read'], entry.id)).toMatchObject({ after: null, missingScope: 'legal:read' });
  });
});
