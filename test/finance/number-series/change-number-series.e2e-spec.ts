import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem } from '../invoices.js';
import { type Envelope, makeSeries, PATH, readSeries } from './series.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const patch = (id: string, changes: object) => owner.patch<Envelope>(`${PATH}/${id}`, changes);

describe('PATCH /v1/admin/finance/invoice-number-series/{id}', () => {
  it.each([
    { name: 'Renamed' },
    { active: false },
    { prefix: 'NEW-' },
    { pattern: '{prefix}{YYYY}{SEQ}' },
    { nextNumber: 51 },
  ])('the body %j changes only its field, updatedAt and version', async (changes) => {
    const before = await makeSeries(owner, { nextNumber: 50 });
    app.travel({ ms: 5 });
    const { status, body: answer } = await patch(before.id, changes);
    expect(status).toBe(200);
    expect(answer.data).toEqual({ ...before, ...changes, version: 2, updatedAt: expect.any(String) });
    expect(answer.data['updatedAt']).not.toBe(before['updatedAt']);
    expect(await readSeries(owner, before.id)).toEqual(answer.data);
  });

  it('a smaller nextNumber is rejected with 409 series_would_duplicate', async () => {
    const { id } = await makeSeries(owner, { nextNumber: 50 });
    const { status, body: answer } = await patch(id, { nextNumber: 49, name: 'Not this either' });
    expect(status).toBe(409);
    expect(answer).toEqual(problem('series_would_duplicate', { nextNumber: 50 }));
    expect(await readSeries(owner, id)).toMatchObject({ nextNumber: 50, version: 1 });
    expect((await patch(id, { nextNumber: 50 })).body.data.nextNumber).toBe(50);
  });

  it('a change of the reset period of an unused series keeps the next number', async () => {
    const { id } = await makeSeries(owner, { nextNumber: 50, pattern: '{prefix}{YYYY}-{SEQ}' });
    expect((await patch(id, { resetPeriod: 'yearly' })).body.data).toMatchObject({ nextNumber: 50 });
    expect(
      (await patch(id, { resetPeriod: 'never', nextNumber: 60, reason: 'Numbers of the old system' })).body.data,
    ).toMatchObject({ nextNumber: 60 });
  });

  it('a reset period that is missing in the pattern is rejected with 400', async () => {
    const { id } = await makeSeries(owner);
    const { status, body: answer } = await patch(id, { resetPeriod: 'yearly' });
    expect([status, answer]).toEqual([400, invalid('pattern', 'series_period_token_required')]);
  });

  it('an invalid body is rejected with 400 and its issues, and nothing is changed', async () => {
    const series = await makeSeries(owner);
    const { status, body: answer } = await patch(series.id, { version: 3 });
    expect([status, answer]).toEqual([400, invalid('version', 'unknown_member', 'version is not recognized')]);
    expect(await readSeries(owner, series.id)).toEqual(series);
  });

  it('concurrent changes are all applied', async () => {
    const { id } = await makeSeries(owner);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        patch(id, { nextNumber: index + 2, name: `Name ${index}`, reason: 'A test' }),
      ),
    );
    const moved = answers.filter(({ status }) => status === 200);
    const late = answers.filter((answer) => !moved.includes(answer));
    for (const { status, body: answer } of late) {
      expect([status, answer]).toEqual([409, problem('series_would_duplicate', { nextNumber: expect.any(Number) })]);
    }
    expect(await readSeries(owner, id)).toMatchObject({ nextNumber: 11, version: 1 + moved.length });
  });
});
