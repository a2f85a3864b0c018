import { beforeAll, describe, expect, it } from '@jest/globals';
import { entryOf, reverse } from '../action-ledger/reversals.js';
import { addItem, makeBooking } from '../bookings/bookings.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newTaxCode, TAX_CODES, type TaxCode, taxCodeBody } from './tax-codes.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const create = (over: object) => owner.post<{ data: TaxCode; details?: object }>(TAX_CODES, taxCodeBody(over));
const addRate = (id: string, rateBasisPoints: number, validFrom: string) =>
  owner.post<{ data: TaxCode }>(`${TAX_CODES}/${id}/rates`, { rateBasisPoints, validFrom });

describe('tax codes', () => {
  it('a tax code is created, read and changed with its rates', async () => {
    const taxCode = await newTaxCode(owner, { name: 'Standard' });
    expect(taxCode).toMatchObject({
      name: 'Standard',
      country: 'DE',
      kind: 'standard',
      mention: null,
      active: true,
      rates: [{ rateBasisPoints: 1_900, validFrom: '2007-01-01', validTo: null }],
      version: 1,
    });
    const { body } = await owner.patch<{ data: TaxCode }>(`${TAX_CODES}/${taxCode.id}`, { active: false });
    expect(body.data).toMatchObject({ active: false, name: 'Standard', version: 2, rates: taxCode.rates });
    expect((await owner.get<{ data: TaxCode }>(`${TAX_CODES}/${taxCode.id}`)).body.data).toEqual(body.data);
  });

  it('a code is unique in its country', async () => {
    const { code } = await newTaxCode(owner, { country: 'FR' });
    expect((await create({ code, country: 'FR' })).body).toMatchObject({ code: 'tax_code_taken' });
    expect((await create({ code, country: 'IT' })).status).toBe(201);
  });

  it('one of two parallel requests for the same code creates it', async () => {
    const body = { code: 'AT-20', country: 'AT' };
    const statuses = (await Promise.all([create(body), create(body)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409]);
  });

  it.each([
    [{ code: 'de-19' }, 'code'],
    [{ code: 'A'.repeat(21) }, 'code'],
    [{ country: 'XX' }, 'country'],
    [{ kind: 'other' }, 'kind'],
    [{ rates: [] }, 'rates'],
    [{ rates: [{ rateBasisPoints: 10_001, validFrom: '2020-01-01' }] }, 'rates.0.rateBasisPoints'],
    [{ rates: [{ rateBasisPoints: 1, validFrom: '2020-01-02', validTo: '2020-01-01' }] }, 'rates.0.validTo'],
    [
      {
        rates: [
          { rateBasisPoints: 1, validFrom: '2020-01-02' },
          { rateBasisPoints: 2, validFrom: '2020-01-01', validTo: '2020-01-02' },
        ],
      },
      'rates.0.validFrom',
    ],
    ...['exempt', 'reverse_charge', 'margin_scheme'].map((kind) => [
      { kind, rates: [{ rateBasisPoints: 0, validFrom: '2020-01-01' }] },
      'mention',
    ]),
    ...['zero', 'exempt', 'outside_scope', 'reverse_charge'].map((kind) => [
      { kind, mention: 'x' },
      'rates.0.rateBasisPoints',
    ]),
  ] as [object, string][])('the tax code %j is rejected at %s', async (over, path) => {
    const { status, body } = await create(over);
    expect(status).toBe(400);
    expect(body.details).toMatchObject({ issues: [{ path }] });
  });

  it('the mention of an exempt tax code cannot be cleared', async () => {
    const { id } = await newTaxCode(owner, {
      kind: 'exempt',
      mention: 'Exempt',
      rates: [{ rateBasisPoints: 0, validFrom: '2020-01-01' }],
    });
    expect((await owner.patch(`${TAX_CODES}/${id}`, { mention: null })).status).toBe(400);
  });

  it('a new rate ends the one before, and must start after it', async () => {
    const { id } = await newTaxCode(owner);
    expect((await addRate(id, 1_600, '2020-07-01')).status).toBe(201);
    const { body } = await addRate(id, 1_900, '2021-01-01');
    expect(body.data.rates).toEqual([
      { rateBasisPoints: 1_900, validFrom: '2007-01-01', validTo: '2020-06-30' },
      { rateBasisPoints: 1_600, validFrom: '2020-07-01', validTo: '2020-12-31' },
      { rateBasisPoints: 1_900, validFrom: '2021-01-01', validTo: null },
    ]);
    expect((await addRate(id, 1_700, '2021-01-01')).body).toMatchObject({ code: 'tax_rate_overlap' });
    expect((await addRate(id, 1_700, '2020-08-01')).body).toMatchObject({ code: 'tax_rate_overlap' });
  });

  it('parallel new rates of one day do not overlap', async () => {
    const { id } = await newTaxCode(owner);
    const answers = await Promise.all([1, 2, 3].map((rate) => addRate(id, rate, '2030-01-01')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  it('the database rejects rates whose days overlap, and a rate of a kind that has none', async () => {
    const { id } = await newTaxCode(owner);
    const insert = (kind: string, rate: number, from: string) =>
      app.sql('insert into tax_code_rates values ($1, $2, $3, $4, $4)', [id, kind, rate, from]);
    await expect(insert('standard', 100, '2031-01-01')).rejects.toThrow('tax_code_rates_no_overlap');
    await expect(insert('zero', 0, '2001-01-01')).rejects.toThrow('tax_code_rates_code');
    await expect(insert('zero', 1, '2001-01-01')).rejects.toThrow('tax_code_rates_untaxed');
  });

  it('lists are filtered by country, kind, active and day', async () => {
    const { id } = await newTaxCode(owner, {
      country: 'PT',
      kind: 'reduced',
      rates: [{ rateBasisPoints: 600, validFrom: '2010-01-01', validTo: '2010-12-31' }],
    });
    const ids = async (query: string) => {
      const { body } = await owner.get<{ data: TaxCode[]; total: number }>(`${TAX_CODES}?country=PT&${query}`);
      expect(body.total).toBe(body.data.length);
      return body.data.map((each) => each.id);
    };
    expect(await ids('kind=reduced&active=true&on=2010-06-30')).toEqual([id]);
    for (const query of ['kind=standard', 'active=false', 'on=2011-01-01']) expect(await ids(query)).toEqual([]);
  });

  it('the creation of a tax code can be reversed while nothing uses it', async () => {
    const [unused, used] = [await newTaxCode(owner), await newTaxCode(owner)];
    const { id: bookingId } = await makeBooking(owner);
    await addItem(owner, bookingId, { taxCodeId: used.id });

    const creationOf = async ({ id }: TaxCode) => (await entryOf(app, id, 'finance.tax_code.create')).id;
    expect((await reverse(app, await creationOf(unused))).status).toBe(201);
    expect((await owner.get(`${TAX_CODES}/${unused.id}`)).status).toBe(404);
    const { status, body } = await reverse(app, await creationOf(used));
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'reversal_conflict' } });
    expect(JSON.stringify(body)).toContain('tax_code_in_use');
  });
});
