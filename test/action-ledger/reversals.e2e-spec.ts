import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import { CHANNELS, ENTRIES, newChannel, page, unique } from './ledger.js';
import { changedChannel, type Detail, entryOf, itself, preview, REASON, reverse, reversed } from './reversals.js';

const CREATE = 'distribution.channel.create';
const UPDATE = 'distribution.channel.update';

let app: TestApp;
beforeAll(async () => {
  // Jobs are disabled, so that the outbox keeps its events.
  app = await startApp({ env: { JOBS: 'false' } });
});

const channel = async (id: string) =>
  (await app.as('owner').get<{ data: { version: number; status: string } }>(`${CHANNELS}/${id}`)).body.data;

describe('a reversal', () => {
  it('a reversal is answered with its own entry, and each of the two entries refers to the other', async () => {
    const id = await changedChannel(app);
    const original = await entryOf(app, id, UPDATE);
    const headers = { 'X-Request-Id': 'reversal-1' };

    const answer = await app
      .as('owner')
      .post<{ data: Detail }>(`${ENTRIES}/${original.id}/reversals`, { reason: `  ${REASON} ` }, { headers });

    const { data } = answer.body;
    expect([answer.status, answer.headers.location]).toEqual([201, `${ENTRIES}/${data.id}`]);
    expect(data).toEqual({
      id: expect.stringMatching(/^aled_/),
      sequence: expect.any(Number),
      action: `${UPDATE}.reverse`,
      subjectType: 'channel',
      subjectId: id,
      actorType: original.actorType,
      actorId: original.actorId,
      reason: REASON,
      reversesEntryId: original.id,
      reversedByEntryId: null,
      recordedByEntryId: null,
      reversible: false,
      irreversible: { reason: 'no_undo', message: 'A reversal cannot be reversed: perform the action again' },
      state: 'completed',
      outcome: 'full',
      missingScope: null,
      failure: null,
      correlationId: 'reversal-1',
      serverRequestId: expect.any(String),
      createdAt: expect.any(String),
      before: expect.objectContaining({ status: 'inactive', version: 2 }),
      after: expect.objectContaining({ status: 'active', version: 3 }),
    });
    expect((await app.as('owner').get(`${ENTRIES}/${data.id}`)).body).toEqual({ data });
    expect(await entryOf(app, id, UPDATE)).toEqual({ ...original, reversedByEntryId: data.id, reversible: false });
  });

  it('a reversal is published to subscribers', async () => {
    const id = await newChannel(app);

    const { id: reversalId, reversesEntryId } = await reversed(app, id, CREATE);

    const events = await app.sql(
      `select data from outbox_events where event = 'ledger.reversed' and data->>'subjectId' = $1`,
      [id],
    );
    const summary = { action: CREATE, subjectType: 'channel', subjectId: id, isRunning: false };
    expect(events).toEqual([{ data: { entryId: reversesEntryId, reversalId, ...summary } }]);
  });

  it('a reversal with an Idempotency-Key is executed once, and its response is replayed', async () => {
    const { id } = await entryOf(app, await changedChannel(app), UPDATE);
    const headers = { 'Idempotency-Key': unique('reversal').replaceAll(' ', '-') };
    const post = () => app.as('owner').post(`${ENTRIES}/${id}/reversals`, { reason: REASON }, { headers });

    const [first, second] = [await post(), await post()];

    expect([first.status, second.status, second.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect(second.body).toEqual(first.body);
  });

  it('64 concurrent reversals are one 201 and 63 409s that name the successful one', async () => {
    const id = await changedChannel(app);
    const entry = await entryOf(app, id, UPDATE);

    const answers = await Promise.all(Array.from({ length: 64 }, () => untilAvailable(() => reverse(app, entry.id))));

    const won = answers.filter(({ status }) => status === 201);
    const lost = answers.filter(({ status, body }) => status === 409 && body.code === 'already_reversed');
    expect([won.length, lost.length]).toEqual([1, 63]);
    const reversalId = won[0]?.body.data.id;
    expect(new Set(lost.map(({ body }) => body.details['reversedByEntryId']))).toEqual(new Set([reversalId]));
    expect((await page(app, { subjectId: id })).data).toHaveLength(3);
    expect((await channel(id)).version).toBe(3);
  });
});

describe('a preview of a reversal', () => {
  it('a preview shows the subject before and after the reversal, and changes nothing', async () => {
    const id = await changedChannel(app);
    const before = await channel(id);
    const { id: entryId } = await entryOf(app, id, UPDATE);

    const previewed = await preview(app, entryId);

    expect(previewed).toEqual({
      entryId,
      possible: true,
      refusal: null,
      outcome: 'full',
      before,
      after: expect.objectContaining({ status: 'active', version: 3 }),
    });
    expect(await channel(id)).toEqual(before);
    expect((await page(app, { subjectId: id })).data).toHaveLength(2);
    const { before: was, after } = await reversed(app, id, UPDATE);
    expect([was, itself(after as never)]).toEqual([previewed.before, itself(previewed.after as never)]);
  });
});

/** An overloaded service responds with 503, and a client retries. */
async function untilAvailable<T extends { status: number }>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await call();
    if (answer.status !== 503) return answer;
  }
}
