import { beforeAll, describe, expect, it } from '@jest/globals';
import { ActionLedger } from '../../src/modules/action-ledger/index.js';
import { LedgerVerificationService } from '../../src/modules/action-ledger/verification/ledger-verification.service.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { Database } from '../../src/platform/database/database.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { tokenWith } from '../setup/staff-token.js';
import { ENTRIES, type Entry, newChannel, page, unique } from './ledger.js';
import { type Detail, entryOf, type ErrorBody, REASON, reverse } from './reversals.js';

const ISSUE = 'finance.invoice.issue';
const CREATE = 'distribution.channel.create';

type Answered = { data: Detail & { irreversible: { reason: string; message: string } | null } } & ErrorBody;

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
});

/** Creates an entry with an action that has no reversal. */
async function issued(action = ISSUE): Promise<Entry> {
  const subjectId = unique('invoice').replaceAll(' ', '-');
  await asSystem(() =>
    app.nest.get(Database).transaction(async () => {
      app.nest
        .get(ActionLedger)
        .record(action, { subjectType: 'invoice', subjectId, before: {}, after: { number: '1' } });
    }),
  );
  return entryOf(app, subjectId, action);
}

const recordOnly = (id: string, client = staff) =>
  client.post<Answered>(`${ENTRIES}/${id}/reversals`, { reason: REASON, recordOnly: true });
const read = async (id: string) => (await staff.get<Answered>(`${ENTRIES}/${id}`)).body.data;

describe('a recorded reversal', () => {
  it('an entry without an inverse is answered with an entry that is recorded and undid nothing', async () => {
    const original = await issued();
    expect((await read(original.id)).irreversible).toEqual({ reason: 'no_undo', message: expect.any(String) });

    const answer = await recordOnly(original.id);

    const { data } = answer.body;
    expect([answer.status, answer.headers.location]).toEqual([201, `${ENTRIES}/${data.id}`]);
    expect(data).toMatchObject({
      action: `${ISSUE}.reverse_recorded`,
      ...{ subjectType: 'invoice', subjectId: original.subjectId, reason: REASON, reversesEntryId: original.id },
      ...{ state: 'recorded', outcome: null, before: null, after: null, reversible: false },
    });
    const { data: listed } = await page(app, { subjectId: original.subjectId });
    expect(listed).toMatchObject([
      { id: data.id, state: 'recorded' },
      { id: original.id, reversedByEntryId: null, recordedByEntryId: data.id },
    ]);
    const { breaks, findings } = await app.nest.get(LedgerVerificationService).verify();
    expect([breaks, findings]).toEqual([[], []]);
  });

  it('without recordOnly the entry stays 409 not_reversible, before and after it was recorded', async () => {
    const { id } = await issued();
    expect((await reverse(app, id)).body.code).toBe('not_reversible');
    expect((await recordOnly(id)).status).toBe(201);
    expect((await reverse(app, id)).body.code).toBe('not_reversible');
  });

  it('an entry that can be reversed is 409 reversible, and can be reversed afterwards', async () => {
    const { id } = await entryOf(app, await newChannel(app), CREATE);
    expect((await read(id)).irreversible).toBeNull();

    const answer = await recordOnly(id);

    expect([answer.status, answer.body.code, answer.body.details]).toEqual([409, 'reversible', { action: CREATE }]);
    expect((await reverse(app, id)).status).toBe(201);
    const again = await recordOnly(id);
    expect([again.status, again.body.code]).toEqual([409, 'already_reversed']);
  });

  it('a recorded answer never blocks a reversal: an entry that has both names both', async () => {
    const { id } = await entryOf(app, await newChannel(app), CREATE);
    const { id: other } = await issued();
    await app.sql(
      `insert into ledger_reversals (id, original_id, reversal_id, state, created_at, finished_at)
       values ('lrev_' || $1, $1, $2, 'recorded', now(), now())`,
      [id, other],
    );

    const { body } = await reverse(app, id);

    expect(await read(id)).toMatchObject({ reversedByEntryId: body.data.id, recordedByEntryId: other });
    await app.sql(`alter table ledger_reversals disable trigger ledger_reversals_kept`);
    await app.sql(`delete from ledger_reversals where id = 'lrev_' || $1`, [id]);
    await app.sql(`alter table ledger_reversals enable trigger ledger_reversals_kept`);
  });

  it('eight concurrent answers are one 201 and seven 409 already_recorded that name it', async () => {
    const { id } = await issued();

    const answers = await Promise.all(Array.from({ length: 8 }, () => recordOnly(id)));

    const won = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id);
    const lost = answers.filter(({ status }) => status === 409);
    expect([won.length, lost.length]).toEqual([1, 7]);
    for (const { body } of lost) {
      expect([body.code, body.details]).toEqual(['already_recorded', { recordedByEntryId: won[0] }]);
    }
  });

  it.each([
    ['action-ledger:reverse', ['action-ledger:read', 'finance:write'], ISSUE],
    ['finance:write', ['action-ledger:reverse', 'finance:read', 'finance:void'], ISSUE],
    ['finance:write', ['action-ledger:reverse', 'finance:read'], 'finance.commission.recompute'],
    ['*', ['action-ledger:reverse', 'identity:*'], 'platform.provisioning.apply'],
  ])('an answer without the scope %s is 403, and nothing is recorded', async (requiredScope, scopes, action) => {
    const { id } = await issued(action);

    const answer = await recordOnly(id, app.with(await tokenWith(app, scopes)));

    expect([answer.status, answer.body.details]).toEqual([403, { requiredScope }]);
    expect((await read(id)).recordedByEntryId).toBeNull();
  });
});
