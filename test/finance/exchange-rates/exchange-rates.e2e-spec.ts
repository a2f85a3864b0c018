import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { newTaxCode, taxCodeAt, type TaxCode } from '../../taxes/tax-codes.js';
import { issuedNote, useOwnSeries } from '../credit-notes/crediting.js';
import { body as bill, entriesOf, invalid, make, PATH as BILLS, problem, staffWith } from '../invoices.js';
import { draft, type Invoice, issue, type Item, read, sell, travelToDayOfMonth } from '../invoices/invoicing.js';
import { closeMonths } from '../periods/months.js';
import { approved, retryWhileBusy } from '../payments/payments.js';
import { type Report, REPORTS, type Row, sum } from '../reports/reporting.js';
import { tamper, verify } from '../reports/tampering.js';

const PATH = '/v1/admin/finance/exchange-rates';

interface Rate {
  id: string;
  from: string;
  to: string;
  day: string;
  rate: string;
  source: string;
  createdAt: string;
}

let app: TestApp;
let owner: TestClient;
let standard: TaxCode;
let exempt: TaxCode;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
  await useOwnSeries(owner);
  standard = await taxCodeAt(owner, 1_900);
  exempt = await newTaxCode(owner, {
    kind: 'exempt',
    mention: 'Exempt from VAT',
    rates: [{ rateBasisPoints: 0, validFrom: '2007-01-01' }],
  });
  // Other files of the worker may have closed the month before. Items of fixtures are older than the documents of today.
  travelToDayOfMonth(app, 15);
  app.travel({ hours: 1 });
});

/** Each test has its own currencies, because all files that share the database share the rates of a pair. */
const rateOf = (from: string, rate: string, over: Partial<Rate> = {}) => ({
  ...{ from, to: 'EUR', day: app.day(), rate, source: 'bank' },
  ...over,
});

const record = (body: object, client = owner) => client.post<{ data: Rate }>(PATH, body);

async function recorded(from: string, rate: string, over: Partial<Rate> = {}): Promise<Rate> {
  const { status, text, body } = await record(rateOf(from, rate, over));
  expect([status, text]).toEqual([201, text]);
  return body.data;
}

async function drafted(currency: string, items: Item[] = [{ unitSellCents: 100_000 }]): Promise<Invoice> {
  const { id: bookingId } = await sell(app, { currency, items });
  return draft(owner, { bookingId });
}

async function issued(currency: string, items?: Item[]): Promise<Invoice> {
  const { id } = await drafted(currency, items);
  const { status, text, body } = await issue(owner, id);
  expect([status, text]).toEqual([200, text]);
  return body.data;
}

const baseOf = (document: Record<string, unknown>) => [
  document['baseSubtotalCents'],
  document['baseTaxCents'],
  document['baseTotalCents'],
];

describe('exchange rates', () => {
  it('a recorded rate keeps the decimals that were published, and is in the ledger', async () => {
    const { status, headers, body } = await record(rateOf('AFN', '0.0130'));
    const { data } = body;
    expect([status, data]).toEqual([
      201,
      {
        ...{ id: expect.stringMatching(/^xrat_/), from: 'AFN', to: 'EUR', day: app.day() },
        ...{ rate: '0.0130', source: 'bank', createdAt: expect.any(String) },
      },
    ]);
    expect(headers['location']).toBe(`${PATH}/${data.id}`);
    expect((await owner.get<{ data: Rate }>(`${PATH}/${data.id}`)).body.data).toEqual(data);
    const { body: entries } = await owner.get<{ data: { action: string; after: unknown }[] }>(
      `/v1/admin/action-ledger/entries?subjectType=exchange_rate&subjectId=${data.id}`,
    );
    expect(entries.data).toMatchObject([{ action: 'finance.exchange_rate.record' }]);
  });

  it('rates are listed by currency, days and source, the latest day first', async () => {
    const earlier = await recorded('ALL', '0.0102', { day: app.day(-2) });
    const later = await recorded('ALL', '98.5', { from: 'EUR', to: 'ALL', source: 'ecb' });
    const list = async (query: string) =>
      (await owner.get<{ data: Rate[] }>(`${PATH}?currency=ALL&${query}`)).body.data.map(({ id }) => id);
    expect(await list('')).toEqual([later.id, earlier.id]);
    expect(await list('sort=day')).toEqual([earlier.id, later.id]);
    expect(await list('source=ecb')).toEqual([later.id]);
    expect(await list('source=ecb,bank')).toEqual([later.id, earlier.id]);
    expect(await list(`dayTo=${app.day(-1)}`)).toEqual([earlier.id]);
    expect(await list(`dayFrom=${app.day(-1)}`)).toEqual([later.id]);
  });

  it('of rates of one source, pair and day that are recorded at the same time, one is kept, and it alone is in the ledger', async () => {
    const rates = ['0.0025', '0.0026', '0.0027', '0.0028', '0.0029'];
    const answers = await Promise.all(rates.map((rate) => retryWhileBusy(() => record(rateOf('AMD', rate)))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    for (const { status, body } of answers) {
      if (status === 409) expect(body).toEqual(problem('rate_taken', { field: 'day' }));
    }
    const kept = answers.find(({ status }) => status === 201)?.body.data;
    expect((await owner.get<{ data: Rate[] }>(`${PATH}?currency=AMD`)).body.data).toEqual([kept]);
    const rejected = `select subject_id from action_ledger_entries where action = 'finance.exchange_rate.record'
      and not exists (select from exchange_rates where id = subject_id)`;
    expect(await app.sql(rejected)).toEqual([]);
    expect((await record(rateOf('AMD', '0.0026', { source: 'manual' }))).status).toBe(201);
  });

  it.each([
    ['of a day to come', () => ({ day: app.day(1) }), 400, () => invalid('day', 'day_out_of_range')],
    ['from a currency to itself', () => ({ to: 'AOA' }), 400, () => invalid('to', 'same_as_source')],
    ['of 0', () => ({ rate: '0.0000000000' }), 400, () => invalid('rate', 'wrong_format')],
    ['with eleven decimals', () => ({ rate: '0.00000000001' }), 400, () => invalid('rate', 'wrong_format')],
    [
      'without the base currency',
      () => ({ to: 'USD' }),
      422,
      () => problem('base_currency_missing', { field: 'to', baseCurrency: 'EUR' }),
    ],
  ])('a rate %s is rejected', async (_, over, status, expected) => {
    const answer = await record(rateOf('AOA', '0.001', over()));
    expect([answer.status, answer.body]).toEqual([status, expected()]);
  });

  const NO_TEXTS = [null, 1, 1.087, -1, true, [], {}, ['EUR'], { rate: '1' }];
  const HOSTILE: Record<string, unknown[]> = {
    from: [
      ...NO_TEXTS,
      '',
      'eur',
      'EURO',
      'EU',
      'ZZZ',
      'XXX',
      'XAU',
      "E'R",
      'E\u0000R',
      '\u0415UR',
      'E'.repeat(10_000),
    ],
    to: [...NO_TEXTS, '', 'usd', 'ZZZ', 'XTS', ' EUR', 'EUR '],
    day: [
      ...NO_TEXTS,
      ...['', 'today', 'infinity', '-infinity', 'now', '0000-01-01', '1899-12-31', '2200-01-01', '9999-12-31'],
      ...['10000-01-01', '2026-02-30', '2026-13-01', '2026-1-1', '2026-01-01T00:00:00Z', '20260101', '01.02.2026'],
    ],
    rate: [
      ...NO_TEXTS,
      ...['', 'NaN', 'Infinity', '-Infinity', '0', '0.0', '-1', '-0.5', '+1', '1e5', '1E-3', '1,5', '.5', '5.', '01.5'],
      ...[
        ' 1.5',
        '1.5 ',
        '0x10',
        '1_000',
        '\u0661',
        '10000000000',
        '99999999999.1',
        '0.00000000001',
        '1.5\u0000',
        'null',
      ],
      '9'.repeat(10_000),
    ],
    source: [...NO_TEXTS, '', 'ECB', 'fed', 'constructor', '__proto__', 'manual '],
  };

  it.each(Object.keys(HOSTILE))(
    'invalid values of %s are rejected with 400, which names the member',
    async (member) => {
      for (const value of HOSTILE[member] ?? []) {
        const { status, body } = await record({ ...rateOf('AOA', '0.001'), [member]: value });
        const issues = expect.arrayContaining([expect.objectContaining({ path: member })]);
        const details = expect.objectContaining({ issues });
        expect([value, status, body]).toEqual([value, 400, problem('invalid_request', details)]);
      }
      expect((await owner.get<{ data: Rate[] }>(`${PATH}?currency=AOA`)).body.data).toEqual([]);
    },
  );

  it.each([
    ['of the base currency to itself', () => rateOf('EUR', '1'), [400, 'invalid_request']],
    [
      'with a member that no rate has',
      () => ({ ...rateOf('AOA', '0.001'), createdAt: 'now' }),
      [400, 'invalid_request'],
    ],
    ['that is a list', () => [rateOf('AOA', '0.001')], [400, 'invalid_request']],
    ['that is empty', () => ({}), [400, 'invalid_request']],
    ['of 2 MB', () => ({ ...rateOf('AOA', '0.001'), from: 'E'.repeat(2_000_000) }), [413, 'payload_too_large']],
  ] as [string, () => object, [number, string]][])('a body %s is rejected', async (_, body, [status, code]) => {
    const answer = await record(body());
    expect([answer.status, answer.body]).toEqual([status, expect.objectContaining(problem(code))]);
  });

  it.each([
    ...['currency=eur', 'currency=ZZZ', 'currency=EUR&currency=USD', 'source=fed', 'source=', 'dayFrom=2026-02-30'],
    ...[
      'dayTo=infinity',
      'dayFrom=10000-01-01',
      'sort=rate',
      'sort=-',
      'limit=0',
      'limit=-1',
      'limit=NaN',
      'limit=1e9',
    ],
    ...['offset=-1', 'offset=1e30', 'currency%5B%24ne%5D=EUR', 'unknown=1'],
  ])('a list with %s is rejected with 400', async (query) => {
    const { status, body } = await owner.get(`${PATH}?${query}`);
    expect([status, body]).toEqual([400, problem('invalid_request', expect.anything())]);
  });

  it.each(['xrat_', 'xrat_%00', 'book_01k0dem000e000000000000001', `xrat_${'0'.repeat(5_000)}`, 'x'])(
    'a rate with the id %s is not found',
    async (id) => {
      const { status, body } = await owner.get(`${PATH}/${id}`);
      expect([status, body]).toEqual([404, problem('not_found')]);
    },
  );

  it('recording a rate needs finance:write, reading it finance:read', async () => {
    const reader = await staffWith(app, 'finance:read');
    expect((await reader.get(`${PATH}?currency=ARS`)).status).toBe(200);
    const { status, body } = await record(rateOf('ARS', '0.001'), reader);
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'finance:write' })]);
  });

  it('a recorded rate cannot be changed or deleted, not even by SQL', async () => {
    const { id } = await recorded('AZN', '0.54');
    await expect(app.sql('update exchange_rates set rate = 1 where id = $1', [id])).rejects.toThrow('append-only');
    await expect(app.sql('delete from exchange_rates where id = $1', [id])).rejects.toThrow('append-only');
  });
});

// Dates of documents in a series never decrease, so tests that backdate an invoice have their own series.
describe('an invoice in a foreign currency', () => {
  it('an issued invoice has its rate and its amounts in the base currency, for each tax group and in sum', async () => {
    const rate = await recorded('USD', '1.0870', { from: 'EUR', to: 'USD', source: 'ecb' });
    const invoice = await issued('USD', [
      { unitSellCents: 119_000, taxIncludedCents: 19_000, taxCode: standard },
      { unitSellCents: 33_333, taxCode: exempt },
    ]);
    // 119000 / 1.0870 = 109475.6, 100000 / 1.0870 = 91996.3, 33333 / 1.0870 = 30665.1
    expect(invoice).toMatchObject({
      ...{ currency: 'USD', totalCents: 152_333, baseCurrency: 'EUR' },
      exchangeRate: { from: 'EUR', to: 'USD', day: rate.day, rate: '1.0870', source: 'ecb' },
      ...{ baseSubtotalCents: 122_661, baseTaxCents: 17_480, baseTotalCents: 140_141 },
    });
    const summary = invoice['taxSummary'] as Record<string, unknown>[];
    expect(
      new Set(summary.map((group) => [group['baseNetCents'], group['baseTaxCents'], group['baseGrossCents']])),
    ).toEqual(
      new Set([
        [91_996, 17_480, 109_476],
        [30_665, 0, 30_665],
      ]),
    );
    expect(await read(owner, invoice.id)).toEqual(invoice);
  });

  it.each([
    ['JPY', '0.0061', 10_001, 6_101],
    ['KWD', '2.98', 12_345, 3_679],
  ])('an invoice in %s at %s over %i has %i in the base currency', async (currency, rate, cents, expected) => {
    await record(rateOf(currency, rate));
    const { baseTotalCents, exchangeRate } = await issued(currency, [{ unitSellCents: cents }]);
    expect([baseTotalCents, exchangeRate]).toMatchObject([expected, { rate }]);
  });

  it('a draft has no amounts in the base currency, and an invoice in the base currency has its own without a rate', async () => {
    const before = await drafted('EUR');
    expect(before).toMatchObject({ baseCurrency: null, exchangeRate: null, baseTotalCents: null });
    const invoice = await issued('EUR', [{ unitSellCents: 11_900, taxIncludedCents: 1_900, taxCode: standard }]);
    expect(invoice).toMatchObject({ baseCurrency: 'EUR', exchangeRate: null });
    expect(baseOf(invoice)).toEqual([10_000, 1_900, 11_900]);
    expect(invoice['taxSummary']).toMatchObject([
      { baseNetCents: 10_000, baseTaxCents: 1_900, baseGrossCents: 11_900 },
    ]);
  });

  it('without a rate of the last 7 days the invoice stays a draft and no number is used', async () => {
    await recorded('BAM', '0.51', { day: app.day(-8) });
    const { id } = await drafted('BAM');
    const { status, body } = await issue(owner, id);
    const missing = problem('rate_missing', { field: 'issueDate', from: 'BAM', to: 'EUR', day: app.day() });
    expect([status, body]).toEqual([409, missing]);
    expect(await read(owner, id)).toMatchObject({ status: 'draft', number: null });

    await recorded('BAM', '0.5113', { day: app.day(-7) });
    expect((await issue(owner, id)).body.data).toMatchObject({
      status: 'issued',
      exchangeRate: { day: app.day(-7), rate: '0.5113' },
      baseTotalCents: 51_130,
    });
    expect((await verify(owner)).checks.filter(({ violations }) => violations > 0)).toEqual([]);
  });

  it('the rate of the issue date applies, of several of a day the one recorded last', async () => {
    await recorded('BBD', '0.45', { day: app.day(-1) });
    await recorded('BBD', '0.64');
    app.travel({ ms: 1_000 });
    await recorded('BBD', '0.46', { source: 'manual' });
    await useOwnSeries(owner);
    const [today, yesterday] = [await drafted('BBD'), await drafted('BBD')];
    const { body: earlier } = await issue(owner, yesterday.id, { issueDate: app.day(-1) });
    expect(earlier.data['exchangeRate']).toMatchObject({ day: app.day(-1), rate: '0.45' });
    const { body: later } = await issue(owner, today.id);
    expect(later.data['exchangeRate']).toMatchObject({ day: app.day(), rate: '0.46', source: 'manual' });
  });

  it('invoices that are issued while a rate is recorded and corrected have one of its versions, or are not issued', async () => {
    const versions: readonly (readonly [string, string])[] = [
      ['0.7231', 'bank'],
      ['0.7132', 'manual'],
      ['0.7312', 'ecb'],
    ];
    const items = [
      { unitSellCents: 11_933, taxIncludedCents: 1_905, taxCode: standard },
      { unitSellCents: 3_337, taxCode: exempt },
    ];
    await useOwnSeries(owner);
    const drafts = [];
    for (let count = 0; count < 6; count += 1) drafts.push(await drafted('BHD', items));
    const answers = drafts.map(({ id }) => retryWhileBusy(() => issue(owner, id)));
    const rates = versions.map(([rate, source]) => retryWhileBusy(() => record(rateOf('BHD', rate, { source }))));
    expect((await Promise.all(rates)).map(({ status }) => status)).toEqual([201, 201, 201]);
    const missing = problem('rate_missing', { field: 'issueDate', from: 'BHD', to: 'EUR', day: app.day() });
    for (const { status, body } of await Promise.all(answers)) {
      if (status !== 200) expect([status, body]).toEqual([409, missing]);
    }

    for (const { id } of drafts) {
      let document = await read(owner, id);
      if (document.status === 'draft') {
        expect(document).toMatchObject({ number: null, baseCurrency: null, exchangeRate: null, baseTotalCents: null });
        document = (await issue(owner, id)).body.data;
      }
      const { rate } = document['exchangeRate'] as { rate: string };
      expect(versions.map(([version]) => version)).toContain(rate);
      // Thousandths of BHD; three and two decimals.
      const inBase = (cents: number) => Math.round((cents * Number(rate) * 100) / 1_000);
      const groups = [
        { net: inBase(10_028), gross: inBase(11_933) },
        { net: inBase(3_337), gross: inBase(3_337) },
      ];
      const [net, gross] = [groups[0], groups[1]].reduce(
        ([nets, grosses], group) => [nets + (group?.net ?? 0), grosses + (group?.gross ?? 0)] as const,
        [0, 0] as readonly [number, number],
      );
      expect(baseOf(document)).toEqual([net, gross - net, gross]);
    }
    expect((await verify(owner)).checks.filter(({ violations }) => violations > 0)).toEqual([]);
  });

  it('rate and amounts of an issued invoice cannot be changed, not even by SQL', async () => {
    await recorded('BDT', '0.0078');
    const { id } = await issued('BDT');
    const change = app.sql('update invoices set base_total_cents = 1, base_subtotal_cents = 1 where id = $1', [id]);
    await expect(change).rejects.toThrow('Of an issued invoice only the status and what is paid change');
  });
});

describe('a credit note in a foreign currency', () => {
  it('credit notes keep the rate of their invoice, and in full they have exactly its base amounts', async () => {
    await recorded('BMD', '0.9231', { day: app.day(-1) });
    const items = [{ unitSellCents: 11_900, taxIncludedCents: 1_900, taxCode: standard }];
    await useOwnSeries(owner);
    const { id } = await drafted('BMD', items);
    const { body } = await issue(owner, id, { issueDate: app.day(-1) });
    const invoice = body.data;
    expect(baseOf(invoice)).toEqual([9_231, 1_754, 10_985]);
    await recorded('BMD', '0.8');
    const parts = [];
    for (const amountCents of [3_333, 3_333]) {
      parts.push(await issuedNote(owner, invoice, { lines: [{ linePosition: 1, amountCents }] }));
    }
    parts.push(await issuedNote(owner, invoice));
    for (const part of parts) expect(part['exchangeRate']).toEqual(invoice['exchangeRate']);
    // For 3333 with a tax of 532, 2801 of 10000 are 2585.6 of 9231, and 3333 of 11900 are 3076.7 of 10985.
    expect(baseOf(parts[0] ?? {})).toEqual([2_586, 491, 3_077]);
    const sums = parts
      .map(baseOf)
      .reduce((total, part) => total.map((cents, index) => Number(cents) + Number(part[index])));
    expect(sums).toEqual([9_231, 1_754, 10_985]);
    const vat = await vatOf(`?currency=BMD&from=${app.day(-1)}`);
    expect(vat.data).toMatchObject([{ baseNetCents: 0, baseTaxCents: 0, baseGrossCents: 0, unconverted: 0 }]);
    expect((await verify(owner)).checks.filter(({ violations }) => violations > 0)).toEqual([]);
  });

  it('a whole invoice is credited today although today has no rate', async () => {
    await recorded('BND', '0.68', { day: app.day(-10) });
    await useOwnSeries(owner);
    const { id } = await drafted('BND');
    const { body } = await issue(owner, id, { issueDate: app.day(-5) });
    const note = await issuedNote(owner, body.data);
    expect(baseOf(note)).toEqual(baseOf(body.data));
    expect(baseOf(note)).toEqual([68_000, 0, 68_000]);
  });
});

describe('a supplier invoice in a foreign currency', () => {
  const approve = (id: string) => owner.post<{ data: Record<string, unknown> }>(`${BILLS}/${id}/approval`);
  const reopen = (id: string) =>
    owner.post<{ data: Record<string, unknown> }>(`${BILLS}/${id}/reopening`, { reason: 'A digit is wrong' });
  const none = { baseCurrency: null, exchangeRate: null, appliedRate: null };
  const foreign = (currency: string) => ({ currency, issueDate: app.day(), totalCents: 119_000, taxCents: 19_000 });

  it('the approval applies the recorded rate of the issue date; a draft has no amounts in the base currency', async () => {
    await recorded('BYN', '0.2814', { day: app.day(-4) });
    await recorded('BYN', '0.29');
    const draftBill = await make(owner, { ...foreign('BYN'), issueDate: app.day(-1) });
    expect([draftBill, baseOf(draftBill)]).toMatchObject([none, [null, null, null]]);
    const { status, text, body } = await approve(draftBill.id);
    expect([status, text]).toEqual([200, text]);
    expect(body.data).toMatchObject({
      ...{ status: 'approved', baseCurrency: 'EUR', exchangeRate: '0.2814' },
      appliedRate: { from: 'BYN', to: 'EUR', day: app.day(-4), rate: '0.2814', source: 'bank' },
    });
    // 119000 * 0.2814 = 33486.6, 100000 * 0.2814 = 28140
    expect(baseOf(body.data)).toEqual([28_140, 5_347, 33_487]);
    expect((await owner.get<{ data: object }>(`${BILLS}/${draftBill.id}`)).body.data).toEqual(body.data);
    const { before, after } = (await entriesOf(owner, draftBill.id)).at(-1) ?? {};
    expect([before, after]).toMatchObject([none, { appliedRate: { rate: '0.2814' }, baseTotalCents: 33_487 }]);
  });

  it('a rate that is published from the base currency is divided by, and its inverse is shown with ten decimals', async () => {
    await recorded('BZD', '2.1740', { from: 'EUR', to: 'BZD', source: 'ecb' });
    const created = await make(owner, { ...foreign('BZD'), status: 'approved' });
    expect(created).toMatchObject({ exchangeRate: '0.4599816007', appliedRate: { from: 'EUR', rate: '2.1740' } });
    // 119000 / 2.1740 = 54737.8, 100000 / 2.1740 = 45998.2
    expect(baseOf(created)).toEqual([45_998, 8_740, 54_738]);
  });

  it('a reopened invoice is a draft without a rate, and its next approval converts what it then owes with the rate of then', async () => {
    await recorded('CDF', '0.5');
    const { id } = await make(owner, { ...foreign('CDF'), status: 'approved' });
    const { body: reopened } = await reopen(id);
    expect([reopened.data, baseOf(reopened.data)]).toMatchObject([{ status: 'draft', ...none }, [null, null, null]]);
    app.travel({ ms: 1_000 });
    await recorded('CDF', '0.25', { source: 'manual' });
    const { status } = await owner.patch(`${BILLS}/${id}`, { totalCents: 1_000, subtotalCents: 840, taxCents: 160 });
    expect(status).toBe(200);
    const { body } = await approve(id);
    expect(body.data).toMatchObject({ exchangeRate: '0.25', appliedRate: { rate: '0.25', source: 'manual' } });
    expect(baseOf(body.data)).toEqual([210, 40, 250]);
    // Changing notes after the approval keeps the amounts.
    const { body: noted } = await owner.patch<{ data: object }>(`${BILLS}/${id}`, { notes: 'Checked' });
    expect(noted.data).toMatchObject({ notes: 'Checked', exchangeRate: '0.25', baseTotalCents: 250 });
  });

  it('invoices that are approved while a rate is corrected have the amounts of the one rate that they keep', async () => {
    await recorded('COP', '0.3', { source: 'ecb' });
    const created = await Promise.all(Array.from({ length: 4 }, () => make(owner, foreign('COP'))));
    const corrected = (['bank', 'manual'] as const).map((source, index) =>
      retryWhileBusy(() => record(rateOf('COP', `0.${index + 1}`, { source }))),
    );
    const answers = created.map(({ id }) => retryWhileBusy(() => approve(id)));
    expect((await Promise.all(corrected)).map(({ status }) => status)).toEqual([201, 201]);
    for (const { status, body } of await Promise.all(answers)) {
      const { rate } = body.data['appliedRate'] as { rate: string };
      const tenths = Number(rate) * 10;
      expect([status, baseOf(body.data)]).toEqual([200, [10_000 * tenths, 1_900 * tenths, 11_900 * tenths]]);
    }
  });

  it('an invoice that a process of an earlier build reopens loses the recorded rate as well', async () => {
    await recorded('CLP', '0.001');
    const { id } = await make(owner, { ...foreign('CLP'), status: 'approved' });
    await app.sql(
      `update supplier_invoices set status = 'draft', posting_date = null, approved_at = null, approved_by = null where id = $1`,
      [id],
    );
    const { body } = await owner.get<{ data: Record<string, unknown> }>(`${BILLS}/${id}`);
    expect([body.data, baseOf(body.data)]).toMatchObject([none, [null, null, null]]);
  });

  it('a rate that the supplier states is kept', async () => {
    await recorded('CUP', '0.04');
    const stated = { baseCurrency: 'EUR', exchangeRate: '0.0385' };
    const created = await make(owner, { ...foreign('CUP'), ...stated, status: 'approved' });
    expect([created, baseOf(created)]).toMatchObject([{ ...stated, appliedRate: null }, [3_850, 732, 4_582]]);
  });

  it('without a recent rate the invoice stays a draft, and the error names no member, as the request has none', async () => {
    await recorded('CVE', '0.009', { day: app.day(-8) });
    const missing = { from: 'CVE', to: 'EUR', day: app.day() };
    const { id } = await make(owner, foreign('CVE'));
    const rejected = await approve(id);
    expect([rejected.status, rejected.body]).toEqual([409, problem('rate_missing', missing)]);
    expect((await owner.get<{ data: object }>(`${BILLS}/${id}`)).body.data).toMatchObject({ status: 'draft', ...none });
  });

  it('one that is created as approved is taken without a rate, or with another base currency, and converted by a later approval', async () => {
    const created = await make(owner, { ...foreign('EGP'), status: 'approved' });
    expect([created, baseOf(created)]).toMatchObject([{ status: 'approved', ...none }, [null, null, null]]);
    const stated = { baseCurrency: 'USD', exchangeRate: '0.0075' };
    const other = await make(owner, { ...foreign('EGP'), ...stated, status: 'approved' });
    expect([other, baseOf(other)]).toMatchObject([
      { status: 'approved', ...stated, appliedRate: null },
      [750, 143, 893],
    ]);

    await recorded('EGP', '0.007');
    expect((await reopen(created.id)).status).toBe(200);
    expect(baseOf((await approve(created.id)).body.data)).toEqual([700, 133, 833]);
  });

  it('an amount beyond 2^53-1 in the base currency is rejected with 409', async () => {
    await recorded('DJF', '9999999999');
    const { id } = await make(owner, { currency: 'DJF', issueDate: app.day(), totalCents: Number.MAX_SAFE_INTEGER });
    const { status, body } = await approve(id);
    expect([status, body]).toEqual([409, problem('amount_too_large')]);
  });

  it('a stated base currency must be that of the accounts when the invoice is approved', async () => {
    const stated = { ...foreign('DOP'), baseCurrency: 'USD', exchangeRate: '0.017' };
    const { id } = await make(owner, stated);
    const { status, body } = await approve(id);
    const details = { baseCurrency: 'EUR', stated: 'USD' };
    expect([status, body]).toEqual([409, problem('base_currency_mismatch', details)]);
  });

  it.each(['appliedRate', 'baseTotalCents', 'baseSubtotalCents', 'baseTaxCents'])(
    'a request cannot state %s',
    async (member) => {
      const { status, body } = await owner.post(BILLS, bill({ ...foreign('DZD'), [member]: null }));
      expect([status, body]).toEqual([400, invalid(member, 'unknown_member')]);
    },
  );
});

describe('documents that were issued before rates were kept', () => {
  it('such a document stays readable without base amounts, as does its credit note, and is counted as unconverted', async () => {
    await recorded('BOB', '0.13');
    const { id } = await issued('BOB');
    await tamper(
      app,
      ['invoices', 'invoice_lines', 'invoice_tax_lines'],
      `update invoices set base_currency = null, exchange_rate = null, base_subtotal_cents = null, base_tax_cents = null,
         base_total_cents = null where id = '${id}';
       update invoice_lines set base_net_cents = null, base_tax_cents = null, base_total_cents = null where invoice_id = '${id}';
       update invoice_tax_lines set base_net_cents = null, base_tax_cents = null, base_gross_cents = null
       where invoice_id = '${id}'`,
    );
    const earlier = await read(owner, id);
    expect(earlier).toMatchObject({ baseCurrency: null, exchangeRate: null, baseTotalCents: null });
    expect(earlier['taxSummary']).toMatchObject([{ baseNetCents: null, baseTaxCents: null, baseGrossCents: null }]);
    const note = await issuedNote(owner, earlier, { lines: [{ linePosition: 1, amountCents: 10_000 }] });
    expect(note).toMatchObject({ baseCurrency: null, exchangeRate: null, baseTotalCents: null });
    await issued('BOB');
    const { data, totals, baseTotals } = await vatOf('?currency=BOB&side=output');
    const nothing = { baseNetCents: null, baseTaxCents: null, baseGrossCents: null, unconverted: 2 };
    expect(data).toMatchObject([{ count: 3, grossCents: 190_000, ...nothing }]);
    expect(totals).toMatchObject([{ currency: 'BOB', grossCents: 190_000, ...nothing }]);
    expect(baseTotals).toMatchObject([{ side: 'output', ...nothing }]);
    expect((await verify(owner)).checks.filter(({ violations }) => violations > 0)).toEqual([]);
  });
});

interface VatReport extends Report {
  baseTotals: Row[];
}

async function vatOf(query: string): Promise<VatReport> {
  const { status, text, body } = await owner.get<VatReport>(`${REPORTS}/vat${query}`);
  expect([status, text]).toEqual([200, text]);
  return body;
}

describe('the report of value-added tax in the base currency', () => {
  it('each row has its amounts in the base currency beside its own, and the totals add up over currencies', async () => {
    await recorded('BSD', '0.9');
    await recorded('BTN', '91.5', { from: 'EUR', to: 'BTN' });
    const items = [{ unitSellCents: 11_900, taxIncludedCents: 1_900, taxCode: standard }];
    for (const currency of ['BSD', 'BTN', 'BTN']) await issued(currency, items);
    expect((await vatOf('?currency=BSD&side=output')).data).toEqual([
      {
        ...{ group: `output:${standard.id}:1900`, side: 'output', taxCodeId: standard.id, taxCode: standard.code },
        ...{ taxKind: 'standard', taxRateBasisPoints: 1_900, currency: 'BSD', count: 1 },
        ...{ netCents: 10_000, taxCents: 1_900, grossCents: 11_900, baseCurrency: 'EUR' },
        ...{ baseNetCents: 9_000, baseTaxCents: 1_710, baseGrossCents: 10_710, unconverted: 0 },
      },
    ]);
    const btn = await vatOf('?currency=BTN&side=output');
    // 10000 / 91.5 = 109.3, 11900 / 91.5 = 130.1
    const twice = { baseNetCents: 218, baseTaxCents: 42, baseGrossCents: 260, unconverted: 0 };
    expect(btn.data).toMatchObject([{ taxCents: 3_800, ...twice }]);
    expect(btn.totals).toMatchObject([{ currency: 'BTN', side: 'output', taxCents: 3_800, ...twice }]);
    expect(btn.baseTotals).toEqual([{ baseCurrency: 'EUR', side: 'output', count: 1, ...twice }]);

    const documents = await vatOf('/documents?currency=BTN');
    expect(sum(documents.data, 'BTN', 'baseTaxCents')).toBe(42);
    expect(documents.baseTotals).toEqual([{ baseCurrency: 'EUR', side: 'output', count: 2, ...twice }]);

    const group = encodeURIComponent(`output:${standard.id}:1900`);
    const all = await vatOf(`?side=output&group=${group}`);
    expect(all.data.length).toBeGreaterThan(2);
    const taxes = all.data.map((row) => Number(row['baseTaxCents']));
    expect(all.baseTotals[0]?.['baseTaxCents']).toBe(taxes.reduce((total, cents) => total + cents));
  });

  it('a supplier invoice counts with its stated or its recorded rate, and one from before rates were kept as unconverted', async () => {
    const amounts = { taxCents: 80, issueDate: app.day(), currency: 'BWP' };
    await approved(owner, 500, { ...amounts, baseCurrency: 'EUR', exchangeRate: '0.07' });
    expect((await vatOf('?currency=BWP&side=input')).data).toMatchObject([
      { taxCents: 80, baseNetCents: 29, baseTaxCents: 6, baseGrossCents: 35, unconverted: 0 },
    ]);
    await recorded('BWP', '0.08');
    const { id } = await make(owner, { ...amounts, totalCents: 500, status: 'approved' });
    // 420 * 0.08 = 33.6, 500 * 0.08 = 40
    expect((await vatOf('?currency=BWP&side=input')).data).toMatchObject([
      { taxCents: 160, baseNetCents: 63, baseTaxCents: 12, baseGrossCents: 75, unconverted: 0 },
    ]);
    await tamper(
      app,
      'supplier_invoices',
      `update supplier_invoices set applied_rate = null, base_total_cents = null, base_subtotal_cents = null,
         base_tax_cents = null where id = '${id}'`,
    );
    expect((await vatOf('?currency=BWP&side=input')).data).toMatchObject([
      { taxCents: 160, baseNetCents: null, baseTaxCents: null, baseGrossCents: null, unconverted: 1 },
    ]);
  });

  it('the CSV export has the amounts in the base currency with its decimals', async () => {
    await recorded('BIF', '0.00031');
    await issued('BIF', [{ unitSellCents: 1_000_000, taxIncludedCents: 0, taxCode: exempt }]);
    const { text } = await owner.get(`${REPORTS}/vat?currency=BIF&format=csv`);
    const [header = '', row = ''] = text.split('\r\n');
    const cells = Object.fromEntries(
      header
        .replace(/^\uFEFF/, '')
        .split(',')
        .map((name, index) => [name, row.split(',')[index]]),
    );
    expect(cells).toMatchObject({
      ...{ currency: 'BIF', grossCents: '1000000', gross: '1000000', baseCurrency: 'EUR' },
      ...{ baseGrossCents: '31000', baseGross: '310.00', baseTaxCents: '0', unconverted: '0' },
    });
  });
});

describe('exchange rates and closed months', () => {
  it('no rate is recorded in a closed month', async () => {
    await closeMonths(app, '2019-01');
    const { status, body } = await record(rateOf('BYN', '0.28', { day: '2019-01-31' }));
    const details = { period: '2019-01', firstOpenDay: expect.any(String) };
    expect([status, body]).toEqual([409, problem('period_closed', details)]);
  });
});
