import { beforeAll, describe, expect, it } from '@jest/globals';
import { ActionLedger, PayloadErasuresService } from '../../src/modules/action-ledger/index.js';
import { DocumentsService } from '../../src/modules/catalog/documents/documents.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { DOCUMENTS, put } from '../catalog/catalog.js';
import { startApp, type TestApp } from '../setup/app.js';
import { tokenWith } from '../setup/staff-token.js';
import { CHANNELS, ENTRIES, newChannel, page } from './ledger.js';
import { changedChannel, entryOf, preview, REASON, type ErrorBody, reverse, reversed } from './reversals.js';

const CREATE = 'distribution.channel.create';
const UPDATE = 'distribution.channel.update';
const ABSENT = 'aled_01k0dem000e000000000099999';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const channel = async (id: string) => (await app.as('owner').get(`${CHANNELS}/${id}`)).body;

describe('a rejected reversal', () => {
  const rejected = (answer: { body: ErrorBody; headers: Record<string, string | undefined> }, rest: object) =>
    expect(answer.body).toEqual({ requestId: answer.headers['x-request-id'], ...rest });

  it('a second reversal is 409 already_reversed with the first one', async () => {
    const entry = await entryOf(app, await newChannel(app), CREATE);
    const first = await reverse(app, entry.id);

    const second = await reverse(app, entry.id);

    expect(second.status).toBe(409);
    const details = { reversedByEntryId: first.body.data.id };
    rejected(second, { error: 'The action was already reversed', code: 'already_reversed', details });
    expect((await preview(app, entry.id)).refusal).toEqual({
      code: 'already_reversed',
      message: 'The action was already reversed',
      details,
    });
  });

  it('the reversal of an irreversible action, and of a reversal, is 409 not_reversible', async () => {
    const reversal = await reversed(app, await newChannel(app), CREATE);
    const [login] = (await page(app, { action: 'platform.demo.load' })).data;
    for (const { id, action } of [reversal, login ?? reversal]) {
      const answer = await reverse(app, id);
      expect(answer.status).toBe(409);
      rejected(answer, {
        error: 'The action cannot be reversed',
        code: 'not_reversible',
        details: { action, reason: 'no_undo' },
      });
      expect((await preview(app, id)).possible).toBe(false);
    }
  });

  it('the reversal of an entry whose payload was erased is 409 not_reversible', async () => {
    const subjectId = await changedChannel(app);
    const { id, action } = await entryOf(app, subjectId, UPDATE);
    await asSystem(() => app.nest.get(PayloadErasuresService).erase([id], 'a test'));

    const answer = await reverse(app, id);

    expect((await entryOf(app, subjectId, UPDATE)).reversible).toBe(false);
    rejected(answer, {
      error: 'The action cannot be reversed',
      code: 'not_reversible',
      details: { action, reason: 'payload_erased' },
    });
  });

  it('the reversal of a subject that was changed since is 409 reversal_conflict with both versions, and nothing is written', async () => {
    const id = await changedChannel(app);
    const entry = await entryOf(app, id, UPDATE);
    await app.as('owner').patch(`${CHANNELS}/${id}`, { description: 'Moved on' });
    const before = await channel(id);

    const answer = await reverse(app, entry.id);

    rejected(answer, {
      error: 'The action cannot be reversed now: The resource was changed after this action',
      code: 'reversal_conflict',
      details: { reason: 'changed_since', recordedVersion: 2, currentVersion: 3 },
    });
    expect(await channel(id)).toEqual(before);
    expect((await page(app, { subjectId: id })).data).toHaveLength(3);
    expect(await app.sql('select from ledger_reversals where original_id = $1', [entry.id])).toEqual([]);
  });

  it('the reversal of a document that was purged and created again is 409 reversal_conflict, though the versions match', async () => {
    const { id, locale, market, version } = await put(app, { name: 'Before' });
    const entry = await entryOf(app, `products/${locale}/${market}/${id}`, 'catalog.document.put');
    await app.as('owner').delete(`${DOCUMENTS}/products/${id}`);
    app.travel({ days: 2 });
    await asSystem(() => app.nest.get(DocumentsService).purgeDeleted());
    const again = await put(app, { name: 'Again' }, id);
    app.travel({ days: -2 });
    expect(again.version).toBe(version);

    const answer = await reverse(app, entry.id);

    expect([answer.status, answer.body.code, answer.body.details['reason']]).toEqual([
      409,
      'reversal_conflict',
      'changed_since',
    ]);
    const { body } = await app.as('owner').get<{ data: object }>(`${DOCUMENTS}/products/${id}`);
    expect(body.data).toMatchObject({ fields: { name: 'Again' }, version: again.version });
  });

  it('the reversal of the creation of synonyms that were deleted and restored is 409 reversal_conflict', async () => {
    const synonyms = '/v1/admin/catalog/synonyms';
    const owner = app.as('owner');
    const made = await owner.post<{ data: { id: string } }>(synonyms, { language: 'en', terms: ['quay', 'pier'] });
    const { id } = made.body.data;
    const creation = await entryOf(app, id, 'catalog.synonym.create');
    await owner.delete(`${synonyms}/${id}`);
    await reversed(app, id, 'catalog.synonym.delete');

    const answer = await reverse(app, creation.id);

    expect([answer.status, answer.body.details]).toEqual([
      409,
      { reason: 'changed_since', recordedVersion: 1, currentVersion: 2 },
    ]);
    expect((await owner.get(`${synonyms}/${id}`)).status).toBe(200);
  });

  it('the reversal to a state that is no longer valid is 409 reversal_conflict, not 400', async () => {
    const subjectId = await newChannel(app);
    await asSystem(() =>
      app.nest.get(Database).transaction(async () => {
        const change = { subjectType: 'channel', subjectId, before: { name: '' }, after: { version: 1 } };
        app.nest.get(ActionLedger).record(UPDATE, change);
      }),
    );
    const answer = await reverse(app, (await entryOf(app, subjectId, UPDATE)).id);

    expect([answer.status, answer.body.code, answer.body.details['reason']]).toEqual([
      409,
      'reversal_conflict',
      'invalid_request',
    ]);
  });

  it('the reversal of an unknown or malformed id is 404', async () => {
    for (const id of [ABSENT, 'aled_x', '%00']) {
      const answer = await reverse(app, id);
      expect(answer.status).toBe(404);
      rejected(answer, { error: 'Not found', code: 'not_found' });
      expect((await app.as('owner').get(`${ENTRIES}/${id}/reversal-preview`)).status).toBe(404);
    }
  });

  it('an invalid body of a reversal is rejected with 400 and its issues, and nothing is reversed', async () => {
    const { id } = await entryOf(app, await newChannel(app), CREATE);
    const body = { reason: REASON, actorId: 'user_x' };

    const answer = await app.as('owner').post<ErrorBody>(`${ENTRIES}/${id}/reversals`, body);

    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.details['fields']).toEqual({ actorId: ['actorId is not recognized'] });
    expect((await app.as('owner').post(`${ENTRIES}/${id}/reversals`, { reason: REASON })).status).toBe(201);
  });

  it('a reversal without action-ledger:reverse is 403 with the required scope', async () => {
    const { id } = await entryOf(app, await newChannel(app), CREATE);
    const token = await tokenWith(app, ['action-ledger:*', 'distribution:*']);

    const answer = await app.with(token).post<ErrorBody>(`${ENTRIES}/${id}/reversals`, { reason: REASON });

    expect([answer.status, answer.body.details]).toEqual([403, { requiredScope: 'action-ledger:reverse' }]);
    expect((await app.with(token).get(`${ENTRIES}/${id}/reversal-preview`)).status).toBe(200);
  });
});
