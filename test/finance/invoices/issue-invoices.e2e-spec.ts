import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/platform/ids/id.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { invalid, problem } from '../invoices.js';
import { makeSeries, PATH as SERIES, readSeries } from '../number-series/series.js';
import { draft, type Invoice, issue, PATH, read, sell, voiding } from './invoicing.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  const seller = { legalName: 'Lake Tours', address: '1 Quay', taxId: 'CHE-9', vatId: null };
  expect((await owner.patch('/v1/admin/organization/profile', seller)).status).toBe(200);
});

/** The day this many days after today. */
const day = (offset: number) => app.day(offset);

const line = (unitPriceCents: number) => ({ description: 'By hand', unitPriceCents });

async function newDraft(over: Record<string, unknown> = {}): Promise<Invoice> {
  const { id: bookingId } = await sell(app);
  return draft(owner, { bookingId, lines: [line(1_000)], ...over });
}

async function issued(seriesId: string, issueDate?: string): Promise<Invoice> {
  const { id } = await newDraft();
  const answer = await issue(owner, id, { seriesId, ...(issueDate ? { issueDate } : {}) });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body.data;
}

const rejected = async (seriesId: string, over: object = {}) => {
  const { id } = await newDraft();
  const { status, body } = await issue(owner, id, { seriesId, ...over });
  expect((await read(owner, id)).status).toBe('draft');
  return [status, body];
};

describe('POST /v1/admin/finance/invoices/{id}/issuance', () => {
  it('issuing assigns the number, copies the seller and answers what a later read returns', async () => {
    const series = await makeSeries(owner, { nextNumber: 41 });
    const before = await newDraft({ dueDate: '2099-01-31' });
    const { status, headers, body } = await issue(owner, before.id, { seriesId: series.id, issueDate: day(-10) });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...before,
      status: 'issued',
      number: `${series.prefix}0041`,
      seriesId: series.id,
      issueDate: day(-10),
      seller: { name: 'Lake Tours', address: '1 Quay', taxId: 'CHE-9' },
      ...{ baseCurrency: 'EUR', baseSubtotalCents: 1_000, baseTaxCents: 0, baseTotalCents: 1_000 },
      taxSummary: [expect.objectContaining({ baseNetCents: 1_000, baseTaxCents: 0, baseGrossCents: 1_000 })],
      issuedAt: expect.any(String),
      updatedAt: expect.any(String),
      version: 2,
    });
    expect(headers['etag']).toBe('"2"');
    expect(await read(owner, before.id)).toEqual(body.data);
    expect(await readSeries(owner, series.id)).toMatchObject({ nextNumber: 42, version: 2 });
  });

  it("an invoice is issued today in the organization's time zone and due on the issue date unless the draft has a due date", async () => {
    const series = await makeSeries(owner);
    const today = app.day();
    expect(await issued(series.id)).toMatchObject({ issueDate: today, dueDate: today, overdue: false });
    const { id } = await newDraft({ dueDate: '2020-01-01' });
    const { body } = await issue(owner, id, { seriesId: series.id });
    expect(body.data).toMatchObject({ dueDate: today });
  });

  it('issuing accepts a due date that is not before the issue date', async () => {
    const series = await makeSeries(owner);
    const { id } = await newDraft();
    const wanted = { seriesId: series.id, issueDate: day(-10) };
    const { status, body } = await issue(owner, id, { ...wanted, dueDate: day(-11) });
    expect([status, body]).toEqual([400, invalid('dueDate', 'due_before_issue')]);
    const { body: good } = await issue(owner, id, { ...wanted, dueDate: day(-10) });
    expect(good.data).toMatchObject({ dueDate: day(-10), overdue: true, number: `${series.prefix}0001` });
  });

  it('a zero-total invoice is paid when it is issued', async () => {
    const series = await makeSeries(owner);
    const { id } = await newDraft({ lines: [line(500), line(-500)] });
    expect((await issue(owner, id, { seriesId: series.id })).body.data.status).toBe('paid');
  });

  it('issuing is rejected for an issued invoice, a void draft and a cancelled booking', async () => {
    const series = await makeSeries(owner);
    const { id } = await issued(series.id);
    const again = await issue(owner, id);
    expect([again.status, again.body]).toEqual([409, problem('invalid_transition', { from: 'issued', to: 'issued' })]);
    const deleted = await newDraft();
    await voiding(owner, deleted.id);
    const revived = await issue(owner, deleted.id);
    expect(revived.body).toEqual(problem('invalid_transition', { from: 'void', to: 'issued' }));
    const closed = await newDraft();
    await app.sql(
      `with gone as (update booking_items set status = 'cancelled', cancelled_at = now() where booking_id = $1)
       update bookings set status = 'cancelled', cancelled_at = now(), cancel_reason = 'x', total_cents = 0 where id = $1`,
      [closed.bookingId],
    );
    expect((await issue(owner, closed.id)).body).toEqual(problem('booking_closed'));
    expect((await readSeries(owner, series.id)).nextNumber).toBe(2);
  });

  it('issuing honours If-Match and Idempotency-Key: the same request assigns one number', async () => {
    const series = await makeSeries(owner);
    const { id } = await newDraft();
    const stale = await owner.post(`${PATH}/${id}/issuance`, {}, { headers: { 'If-Match': '"7"' } });
    expect([stale.status, stale.body]).toEqual([412, problem('precondition_failed', { currentVersion: 1 })]);
    const headers = { 'Idempotency-Key': `issue-${id}` };
    const call = () => owner.post(`${PATH}/${id}/issuance`, { seriesId: series.id }, { headers });
    const [first, second] = [await call(), await call()];
    expect([second.status, second.body, second.headers['idempotent-replayed']]).toEqual([200, first.body, 'true']);
    expect((await readSeries(owner, series.id)).nextNumber).toBe(2);
  });

  it('two concurrent requests to issue an invoice assign one number', async () => {
    const series = await makeSeries(owner);
    const { id } = await newDraft();
    const answers = await Promise.all(Array.from({ length: 6 }, () => issue(owner, id, { seriesId: series.id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    expect((await readSeries(owner, series.id)).nextNumber).toBe(2);
  });
});

describe('the series of an issue', () => {
  it('issuing uses the given series: unknown is 404, inactive or of another type 409', async () => {
    const [off, other] = [
      await makeSeries(owner, { active: false }),
      await makeSeries(owner, { documentType: 'proforma' }),
    ];
    expect(await rejected(newId('iser'))).toEqual([404, problem('not_found', { field: 'seriesId' })]);
    expect(await rejected('nonsense')).toEqual([404, problem('not_found', { field: 'seriesId' })]);
    expect(await rejected(off.id)).toEqual([409, problem('series_inactive')]);
    expect(await rejected(other.id)).toEqual([409, problem('series_type_mismatch', { documentType: 'proforma' })]);
  });

  it('issuing uses the default series, else the only active one, else 409 no_active_series', async () => {
    const list = await owner.get<{ data: { id: string; isDefault: boolean }[] }>(
      `${SERIES}?documentType=invoice&active=true&limit=200`,
    );
    const former = list.body.data.find(({ isDefault }) => isDefault);
    const mine = await makeSeries(owner, { isDefault: true });
    expect((await issue(owner, (await newDraft()).id)).body.data).toMatchObject({ seriesId: mine.id });

    await owner.patch(`${SERIES}/${mine.id}`, { isDefault: false });
    const { id } = await newDraft();
    const none = await issue(owner, id);
    expect([none.status, none.body]).toEqual([409, problem('no_active_series', { documentType: 'invoice' })]);

    await app.sql(`update invoice_number_series set active = false where document_type = 'invoice' and id <> $1`, [
      mine.id,
    ]);
    expect((await issue(owner, id)).body.data).toMatchObject({ seriesId: mine.id });
    await app.sql(`update invoice_number_series set active = true where document_type = 'invoice'`);
    if (former) await owner.patch(`${SERIES}/${former.id}`, { isDefault: true });
  });

  it('a yearly series restarts at 1 while the old year stays open: 31 December and 1 January are both ...0001', async () => {
    const series = await makeSeries(owner, { pattern: '{prefix}{YYYY}-{SEQ:4}', resetPeriod: 'yearly' });
    const year = app.now().getUTCFullYear();
    const ms = Date.UTC(year + 1, 0, 2, 12) - app.now().getTime();
    app.travel({ ms });
    const numbers = [];
    for (const issueDate of [
      `${year}-12-30`,
      `${year}-12-31`,
      `${year + 1}-01-01`,
      `${year}-12-31`,
      `${year + 1}-01-02`,
    ]) {
      numbers.push((await issued(series.id, issueDate)).number);
    }
    app.travel({ ms: -ms });
    const [old, next] = [`${series.prefix}${year}`, `${series.prefix}${year + 1}`];
    expect(numbers).toEqual([`${old}-0001`, `${old}-0002`, `${next}-0001`, `${old}-0003`, `${next}-0002`]);
  });

  it('a monthly series restarts at 1 in each month', async () => {
    const series = await makeSeries(owner, { pattern: '{prefix}{YY}{MM}-{SEQ}', resetPeriod: 'monthly' });
    const first = `${day(0).slice(0, 8)}01`;
    const last = new Date(Date.parse(first) - 86_400_000).toISOString().slice(0, 10);
    for (const issueDate of [last, first]) {
      const month = issueDate.slice(2, 7).replace('-', '');
      expect((await issued(series.id, issueDate)).number).toBe(`${series.prefix}${month}-1`);
    }
  });

  it('an issue date before the last one of its period is rejected with 409 issue_date_out_of_sequence', async () => {
    const series = await makeSeries(owner);
    await issued(series.id, day(-2));
    expect(await rejected(series.id, { issueDate: day(-3) })).toEqual([
      409,
      problem('issue_date_out_of_sequence', { lastIssueDate: day(-2) }),
    ]);
    expect((await issued(series.id, day(-2))).number).toBe(`${series.prefix}0002`);
  });

  it.each([
    ['31 days ago is the first day', -31, 200],
    ['32 days ago is too early', -32, 422],
    ['tomorrow is too late', 1, 422],
    ['the same day of next year is too late', 365, 422],
  ])('the limits of issue dates: %s', async (_, offset, expected) => {
    const series = await makeSeries(owner);
    const { id } = await newDraft();
    const { status, body } = await issue(owner, id, { seriesId: series.id, issueDate: day(offset) });
    expect(status).toBe(expected);
    if (expected !== 422) return;
    expect(body).toEqual(
      problem('issue_date_out_of_bounds', { field: 'issueDate', earliest: day(-31), latest: day(0) }),
    );
    expect(await readSeries(owner, series.id)).toMatchObject({ nextNumber: 1, version: 1 });
  });

  it('the limit of earlier issue dates is a setting', async () => {
    const settings = '/v1/admin/finance/settings';
    await owner.put(settings, { baseCurrency: 'EUR', issueDateBackDays: 2 });
    const series = await makeSeries(owner);
    const { id } = await newDraft();
    expect((await issue(owner, id, { seriesId: series.id, issueDate: day(-3) })).status).toBe(422);
    expect((await issue(owner, id, { seriesId: series.id, issueDate: day(-2) })).status).toBe(200);
    await owner.put(settings, { baseCurrency: 'EUR', issueDateBackDays: 31 });
  });

  it('a number of another series is rejected with 409 invoice_number_conflict until the series is advanced', async () => {
    const [first, second] = [
      await makeSeries(owner, { prefix: 'TWIN-' }),
      await makeSeries(owner, { prefix: 'TWIN-' }),
    ];
    await issued(first.id);
    await issued(first.id);
    expect(await rejected(second.id)).toEqual([409, problem('invoice_number_conflict', { number: 'TWIN-0001' })]);
    expect(await readSeries(owner, second.id)).toMatchObject({ nextNumber: 1, version: 1 });
    await owner.patch(`${SERIES}/${second.id}`, { nextNumber: 3, reason: 'Used by another series' });
    expect((await issued(second.id)).number).toBe('TWIN-0003');
  });

  it('a series that has assigned a number cannot be deleted; only its name, default flag and activity can change', async () => {
    const series = await makeSeries(owner, { nextNumber: 5 });
    await issued(series.id);
    const patch = (changes: object) => owner.patch<{ data: object }>(`${SERIES}/${series.id}`, changes);
    const answers = [
      await patch({ prefix: 'X' }),
      await patch({ pattern: '{SEQ}', name: 'x' }),
      await patch({ pattern: '{prefix}{YYYY}{SEQ}', resetPeriod: 'yearly' }),
      await patch({ nextNumber: 5 }),
      await owner.delete(`${SERIES}/${series.id}`),
    ];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [409, problem('series_in_use', { lockedFields: ['prefix'] })],
      [409, problem('series_in_use', { lockedFields: ['pattern'] })],
      [409, problem('series_in_use', { lockedFields: ['pattern', 'resetPeriod'] })],
      [409, problem('series_would_duplicate', { nextNumber: 6 })],
      [409, problem('series_in_use')],
    ]);
    const { body } = await patch({ name: 'Renamed', prefix: series.prefix });
    expect(body.data).toMatchObject({ name: 'Renamed', prefix: series.prefix, nextNumber: 6, isDefault: false });
    expect((await issued(series.id)).number).toBe(`${series.prefix}0006`);
  });

  it('a series assigns its last number and no further one', async () => {
    const series = await makeSeries(owner, { nextNumber: 999_999_999_999 });
    expect((await issued(series.id)).number).toBe(`${series.prefix}999999999999`);
    expect(await rejected(series.id)).toEqual([409, problem('series_exhausted')]);
    const long = await makeSeries(owner, { prefix: 'L'.repeat(49), pattern: '{prefix}{SEQ}', nextNumber: 9 });
    await issued(long.id);
    expect(await rejected(long.id)).toEqual([409, problem('series_exhausted')]);
  });
});
