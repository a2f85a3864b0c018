import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem, staffWith } from '../invoices.js';
import { body, type Envelope, makeSeries, PATH, readSeries, type Series } from './series.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const patch = (id: string, changes: object) => owner.patch<Envelope>(`${PATH}/${id}`, changes);

describe('POST /v1/admin/finance/invoice-number-series', () => {
  it('a new series is answered with 201, all its members, Location and ETag', async () => {
    const { status, headers, body: answer } = await owner.post<Envelope>(PATH, { name: 'Plain', isDefault: false });
    expect(status).toBe(201);
    expect(answer).toEqual({
      data: {
        id: expect.stringMatching(/^iser_/),
        name: 'Plain',
        prefix: '',
        nextNumber: 1,
        pattern: '{prefix}{SEQ:4}',
        documentType: 'invoice',
        resetPeriod: 'never',
        isDefault: false,
        active: true,
        warnings: [],
        version: 1,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    });
    expect(headers['location']).toBe(`${PATH}/${answer.data.id}`);
    expect(headers['etag']).toBe('"1"');
    expect(await readSeries(owner, answer.data.id)).toEqual(answer.data);
  });

  it('a new series has the given values and the given first number, and an id in the body is ignored', async () => {
    const values = {
      name: 'Monthly',
      prefix: ' A{SEQ} ',
      nextNumber: 4_711,
      pattern: '{prefix}{YY}/{MM}/{SEQ:6}',
      resetPeriod: 'monthly',
      documentType: 'credit_note',
      isDefault: false,
      active: false,
    };
    const made = await makeSeries(owner, { ...values, id: 'iser_01k0dem000e000000000000001' });
    expect(made).toMatchObject(values);
    expect(made.id).not.toBe('iser_01k0dem000e000000000000001');
  });

  it.each([
    [{ resetPeriod: 'yearly' }, 'series_period_token_required'],
    [{ resetPeriod: 'monthly', pattern: '{YYYY}{SEQ}' }, 'series_period_token_required'],
    [{ pattern: '{prefix}' }, 'series_sequence_token_required'],
    [{ pattern: '{SEQ}{NO}' }, 'series_token_unknown'],
    [{ prefix: 'x'.repeat(47) }, 'series_number_too_long'],
  ])('a series with %j is rejected with 400 and the issue %s', async (over, code) => {
    const { status, body: answer } = await owner.post(PATH, body(over));
    expect(status).toBe(400);
    expect(answer).toEqual(invalid('pattern', code));
  });

  it('an invalid body is rejected with 400 and its issues, and nothing is created', async () => {
    const sent = body({ nextNumber: 1.5 });
    const { status, body: answer } = await owner.post(PATH, sent);
    expect([status, answer]).toEqual([400, invalid('nextNumber', 'wrong_type')]);
    expect(await app.sql('select from invoice_number_series where prefix = $1', [sent['prefix']])).toEqual([]);
  });

  it('two series of a type that produce the same numbers both have a warning', async () => {
    const first = await makeSeries(owner, { prefix: 'SHARED-', pattern: '{prefix}{SEQ:4}' });
    expect(first.warnings).toEqual([]);
    const second = await makeSeries(owner, { prefix: '', pattern: 'SHARED-{SEQ:4}' });
    expect(second.warnings).toEqual(['pattern_shared']);
    expect((await readSeries(owner, first.id)).warnings).toEqual(['pattern_shared']);
    const ofOtherType = await makeSeries(owner, { prefix: 'SHARED-', documentType: 'proforma' });
    expect(ofOtherType.warnings).toEqual([]);
  });

  it('two requests with the same Idempotency-Key create one series', async () => {
    const sent = body();
    const headers = { 'Idempotency-Key': 'series-created-once' };
    const [first, again] = [await owner.post(PATH, sent, { headers }), await owner.post(PATH, sent, { headers })];
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([201, first.body, 'true']);
  });
});

describe('the default of a document type', () => {
  const defaults = async (): Promise<string[]> => {
    const { body: page } = await owner.get<{ data: Series[] }>(`${PATH}?documentType=proforma&limit=200`);
    return page.data.filter(({ isDefault }) => isDefault).map(({ id }) => id);
  };
  const make = (over: object) => makeSeries(owner, { documentType: 'proforma', ...over });

  it('the default is the first series of its type, or the one that was made the default last', async () => {
    await app.sql(`delete from number_gaps where series_id in
      (select id from invoice_number_series where document_type = 'proforma')`);
    await app.sql(`delete from invoice_number_counters where series_id in
      (select id from invoice_number_series where document_type = 'proforma')`);
    await app.sql(`delete from invoice_number_series where document_type = 'proforma'`);
    const [first, second] = [await make({ isDefault: undefined }), await make({ isDefault: undefined })];
    expect([first.isDefault, second.isDefault]).toEqual([true, false]);
    expect((await patch(second.id, { isDefault: true })).body.data).toMatchObject({ isDefault: true, version: 2 });
    expect(await readSeries(owner, first.id)).toMatchObject({ isDefault: false, version: 2 });
    const third = await make({ isDefault: true });
    expect(await defaults()).toEqual([third.id]);
    expect((await patch(third.id, { isDefault: false })).body.data.isDefault).toBe(false);
    expect(await defaults()).toEqual([]);
  });

  it('an active default stays the default if an inactive default series is created', async () => {
    const present = await make({ isDefault: true });
    const later = await make({ isDefault: true, active: false });
    expect(await readSeries(owner, present.id)).toMatchObject({ isDefault: true, active: true });
    expect((await patch(later.id, { active: true })).body.data).toMatchObject({ isDefault: true, active: true });
    expect(await readSeries(owner, present.id)).toMatchObject({ isDefault: false, active: true });
    expect((await patch(later.id, { isDefault: false })).status).toBe(200);
  });

  it('there is one default after concurrent requests to become it', async () => {
    const rest = await Promise.all(Array.from({ length: 4 }, () => make({})));
    const answers = await Promise.all([
      ...rest.map(({ id }) => patch(id, { isDefault: true })),
      ...Array.from({ length: 4 }, () => owner.post(PATH, body({ documentType: 'proforma', isDefault: true }))),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201, 201, 201, 201]);
    expect(await defaults()).toHaveLength(1);
  });

  it('a change of the default is recorded in the ledger for both series', async () => {
    const [former, next] = [await make({ isDefault: true }), await make({ isDefault: true })];
    const entries = await app.sql(
      `select action, payload.before ->> 'isDefault' as before, payload.after ->> 'isDefault' as after
       from action_ledger_entries entry join ledger_payloads payload on payload.entry_id = entry.id
       where subject_id = $1 order by sequence desc limit 1`,
      [former.id],
    );
    expect(entries).toEqual([{ action: 'finance.invoice_number_series.update', before: 'true', after: 'false' }]);
    expect(next.isDefault).toBe(true);
  });
});

describe('DELETE /v1/admin/finance/invoice-number-series/{id}', () => {
  it('a series that has assigned no number can be deleted', async () => {
    const made = await makeSeries(owner, { nextNumber: 9 });
    const { status, body: answer } = await owner.delete<Envelope>(`${PATH}/${made.id}`);
    expect([status, answer]).toEqual([200, { data: made }]);
    expect((await owner.get(`${PATH}/${made.id}`)).body).toEqual(problem('not_found'));
    expect((await owner.delete(`${PATH}/${made.id}`)).status).toBe(404);
  });
});

describe('GET /v1/admin/finance/invoice-number-series', () => {
  it('the list is filtered, sorted and counted, also beyond its end', async () => {
    const mark = `Listed ${Date.now()}`;
    for (const n of [1, 2, 3]) {
      await makeSeries(owner, { name: `${mark} ${n}`, documentType: 'proforma', active: n !== 2 });
    }
    const list = async (query: string) =>
      (await owner.get<{ data: Series[]; total: number; limit: number; offset: number }>(`${PATH}?${query}`)).body;
    const named = ({ data }: { data: Series[] }) =>
      data.map(({ name }) => String(name)).filter((name) => name.startsWith(mark));
    expect(named(await list('documentType=proforma&sort=name&limit=200'))).toEqual(
      [1, 2, 3].map((n) => `${mark} ${n}`),
    );
    expect(named(await list('documentType=proforma&active=false&limit=200'))).toEqual([`${mark} 2`]);
    expect(named(await list('sort=-createdAt&limit=2'))).toEqual([`${mark} 3`, `${mark} 2`]);
    const { total } = await list('documentType=proforma&limit=1');
    const beyond = { data: [], total, limit: 50, offset: 100_000 };
    expect(await list('documentType=proforma&offset=100000')).toEqual(beyond);
    expect((await owner.get(`${PATH}?sort=prefix`)).status).toBe(400);
  });

  it('the routes of number series need finance:numbering, which finance:* does not include', async () => {
    const { id } = await makeSeries(owner);
    const [finance, numbering] = [await staffWith(app, 'finance:*'), await staffWith(app, 'finance:numbering')];
    const rejected = [
      await finance.get(PATH),
      await finance.get(`${PATH}/${id}`),
      await finance.post(PATH, body()),
      await finance.patch(`${PATH}/${id}`, { name: 'x' }),
      await finance.delete(`${PATH}/${id}`),
    ];
    for (const { status, body: answer } of rejected) {
      expect([status, answer]).toEqual([403, problem('forbidden', { requiredScope: 'finance:numbering' })]);
    }
    expect((await numbering.get(`${PATH}/${id}`)).status).toBe(200);
  });
});
