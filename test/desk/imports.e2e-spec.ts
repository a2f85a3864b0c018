import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  BOOKINGS,
  confirmedBooking,
  entriesAbout,
  type Item,
  type One,
  type Page,
  readBooking,
  staffWith,
} from '../bookings/bookings.js';
import { newRule, runsOf } from '../notifications/reminders.js';
import { newDeparture, read as readDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newTaxCode } from '../taxes/tax-codes.js';
import {
  checked,
  csvOf,
  type Import,
  IMPORTS,
  imported,
  readImport,
  recordsOf,
  runImports,
  upload,
} from './imports.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  // The tests run the jobs themselves.
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

const count = async (table: 'customers' | 'bookings' | 'products') => {
  const [row] = await app.sql<{ count: number }>(`select count(*)::int as count from ${table}`);
  return row?.count ?? 0;
};

const itemsOf = async (id: string) =>
  (await owner.get<Page<Item>>(`${BOOKINGS}/${id}/items?sort=createdAt`)).body.data.map(
    ({ type, totalSellCents, taxIncludedCents }) => [type, totalSellCents, taxIncludedCents],
  );

const moneyOf = async (id: string) =>
  (await owner.get<One<Record<string, unknown>>>(`/v1/admin/finance/bookings/${id}/money`)).body.data;

/** The ids of the records that were imported, by reference. */
async function importedIds(kind: Import['kind'], csv: string): Promise<Record<string, string>> {
  const { import: ended, records } = await imported(app, kind, csv);
  expect({ status: ended.status, faults: records.filter(({ status }) => status !== 'done') }).toEqual({
    status: 'completed',
    faults: [],
  });
  return Object.fromEntries(records.map(({ reference, subjectId }) => [reference, subjectId ?? '']));
}

describe('the check of a file', () => {
  it('tries each record, names its fault and writes nothing', async () => {
    const before = await count('customers');
    const csv = csvOf(
      'reference,kind,firstName,lastName,email,phone,country',
      'C-1,person,Maria,Ionescu,maria@example.com,+40 240 555 010,RO',
      'C-2,person,Paul,,paul@example.com,,',
      'C-3,robot,Ada,King,,,',
      'C-4,,Eva,Pop,not an address,,',
      ',,Ion,Pop,,,',
      'dan@example.com,,Dan,Pop,,,',
      'C-6,,Dan,Pop,,0240 555 011,',
    );
    const { import: found, records } = await checked(app, 'customers', csv);
    expect(found).toMatchObject({
      ...{ status: 'checked', lineCount: 7, endedAt: null },
      counts: { pending: 0, valid: 1, invalid: 6, skipped: 0, done: 0, failed: 0 },
    });
    expect(records.map(({ line, status, code, columnName }) => [line, status, code, columnName])).toEqual([
      // The demo data has a customer with this number.
      [2, 'valid', 'possible_duplicate', null],
      [3, 'invalid', 'missing_for_kind', 'lastName'],
      [4, 'invalid', expect.any(String), 'kind'],
      [5, 'invalid', expect.any(String), 'email'],
      [6, 'invalid', 'required', 'reference'],
      [7, 'invalid', 'personal_reference', 'reference'],
      [8, 'invalid', 'phone_country_unknown', 'phone'],
    ]);
    expect(JSON.stringify(records)).not.toContain('not an address');
    expect(await count('customers')).toBe(before);
  });

  it('reports all faults of a line, and customers who may be those of an earlier line or exist', async () => {
    const csv = csvOf(
      'reference,lastName,email,language,birthDate',
      'G-1,Popescu,popescu@example.com,,',
      'G-2,Popescu,Popescu@Example.com,,',
      'G-3,Marin,not an address,romanian,yesterday',
    );
    const { import: found, records } = await checked(app, 'customers', csv);
    const faultsOf = (some: typeof records) =>
      some.map(({ status, code, columnName, message }) => [status, code, columnName, message]);
    const several = expect.stringMatching(
      /language must be .*; birthDate must be .*; email: address must be an e-mail/,
    );
    expect(faultsOf(records)).toEqual([
      ['valid', null, null, null],
      ['valid', 'possible_duplicate', 'email', 'Line 2 has the same e-mail address'],
      ['invalid', expect.any(String), null, several],
    ]);
    await owner.post(`${IMPORTS}/${found.id}/execution`);
    await runImports(app);
    expect(faultsOf(await recordsOf(owner, found.id)).slice(0, 2)).toEqual([
      ['done', null, null, null],
      ['done', 'possible_duplicate', 'email', 'Line 2 has the same e-mail address'],
    ]);
    const later = await checked(app, 'customers', csvOf('reference,lastName,email', 'G-4,Pop,popescu@example.com'));
    const known = 'A customer has the same contact, or the same name and date of birth';
    expect(faultsOf(later.records)).toEqual([['valid', 'possible_duplicate', null, known]]);

    const items = csvOf('reference,currency,customerName,title,unitPrice,quantity', 'G-5,EUR,Ada,,ten,two');
    expect((await checked(app, 'bookings', items)).records).toMatchObject([
      {
        status: 'invalid',
        code: 'required',
        columnName: null,
        message: expect.stringMatching(/title.*quantity.*unitPrice/),
      },
    ]);
  });

  it.each([
    ['an unknown column', { kind: 'customers', csv: 'reference,salary\nA,1\n' }, 'column_unknown'],
    ['no lines', { kind: 'customers', csv: 'reference,lastName\n' }, 'csv_empty'],
    [
      'a column of another kind of file',
      { kind: 'products', csv: 'reference,name,kind,timeZone,paid\nA,,,,\n' },
      'column_unknown',
    ],
  ])('a file with %s is 422 and stores nothing', async (_, body, code) => {
    const { total } = (await owner.get<Page<Import>>(IMPORTS)).body;
    expect(await owner.post(IMPORTS, body)).toMatchObject({ status: 422, body: { code, details: { field: 'csv' } } });
    expect((await owner.get<Page<Import>>(IMPORTS)).body.total).toBe(total);
  });

  it.each([
    ['customers', ['customers:read'], 'customers:write'],
    ['products', ['customers:write'], 'products:write'],
    ['bookings', ['customers:write', 'bookings:write', 'bookings:override'], 'finance:write'],
  ])('a file of %s needs more scopes than %j', async (kind, scopes, missing) => {
    const headers = {
      customers: 'reference',
      products: 'reference,name,kind,timeZone',
      bookings: 'reference,currency,title,unitPrice',
    };
    const body = { kind, csv: `${headers[kind as keyof typeof headers]}\nA,,,\n` };
    const caller = await staffWith(app, ...scopes);
    expect(await caller.post(IMPORTS, body)).toMatchObject({
      status: 403,
      body: { details: { requiredScope: missing } },
    });
  });
});

describe('the execution of an import', () => {
  it('imports the valid records once, also with several processes, and skips their references later', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `S-${n},Person ${n},p${n}@example.com`);
    const csv = csvOf('reference,lastName,email', ...lines, 'S-30,,no-name@example.com');
    const { import: found } = await checked(app, 'customers', csv);
    const before = await count('customers');

    const answers = await Promise.all([1, 2, 3].map(() => owner.post(`${IMPORTS}/${found.id}/execution`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    await Promise.all([runImports(app), runImports(app), runImports(app)]);

    expect(await count('customers')).toBe(before + 30);
    expect((await owner.post(`${IMPORTS}/${found.id}/execution`)).body).toMatchObject({
      error: 'An import that is completed with failures cannot be executed',
      details: { from: 'completed_with_failures', to: 'running', allowed: [] },
    });
    const ended = await readImport(owner, found.id);
    expect(ended).toMatchObject({ status: 'completed_with_failures', counts: { done: 30, invalid: 1, valid: 0 } });
    // The lines are gone as soon as they are imported.
    expect(
      await app.sql(`select from import_records where import_id = $1 and rows is not null`, [found.id]),
    ).toHaveLength(1);

    const again = await imported(
      app,
      'customers',
      csvOf('reference,lastName', ...lines.map((line) => line.split(',', 2).join(','))),
    );
    expect(again.import).toMatchObject({ status: 'completed', counts: { skipped: 30, done: 0 } });
    const first = (await recordsOf(owner, found.id)).map(({ subjectId }) => subjectId).slice(0, 30);
    expect(again.records.map(({ subjectId, code }) => [subjectId, code])).toEqual(
      first.map((id) => [id, 'already_imported']),
    );
    expect(await count('customers')).toBe(before + 30);
  });

  it('an error of the commit ends the record, not the import', async () => {
    const { import: found } = await checked(app, 'customers', csvOf('reference,lastName', 'E-1,Doomed', 'E-2,Fine'));
    await app.sql(`create function reject_doomed() returns trigger language plpgsql as $$
      begin if new.last_name = 'Doomed' then raise exception 'doomed'; end if; return null; end $$`);
    await app.sql(`create constraint trigger doomed after insert on customers deferrable initially deferred
      for each row execute function reject_doomed()`);
    await owner.post(`${IMPORTS}/${found.id}/execution`);
    // A temporary error is tried five times; each time the import waits for the next run.
    for (let run = 0; run < 6; run += 1) await runImports(app);
    expect(await recordsOf(owner, found.id)).toMatchObject([
      { status: 'failed', code: 'internal_error' },
      { status: 'done', code: null },
    ]);
    expect(await readImport(owner, found.id)).toMatchObject({ status: 'completed_with_failures' });

    // The check finds such an error, too.
    const { id } = await upload(owner, 'customers', csvOf('reference,lastName', 'E-3,Doomed'));
    for (let run = 0; run < 6; run += 1) await runImports(app);
    expect(await recordsOf(owner, id)).toMatchObject([{ status: 'invalid', code: 'internal_error' }]);
    await app.sql('drop trigger doomed on customers');
  });

  it('waits for the check, and a discarded import is gone', async () => {
    const { id } = await upload(owner, 'customers', csvOf('reference,lastName', 'D-1,Pop'));
    expect(await owner.post(`${IMPORTS}/${id}/execution`)).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition' },
    });
    expect(await owner.delete(`${IMPORTS}/${id}`)).toMatchObject({ status: 409, body: { code: 'import_in_progress' } });
    await runImports(app);
    expect(await owner.delete(`${IMPORTS}/${id}`)).toMatchObject({
      status: 200,
      body: { data: { status: 'checked' } },
    });
    expect((await owner.get(`${IMPORTS}/${id}`)).status).toBe(404);
    expect(await app.sql('select from import_records where import_id = $1', [id])).toHaveLength(0);
  });

  it('a record that is rejected only now fails, and stops no other', async () => {
    const csv = csvOf(
      'reference,currency,customerName,number,title,unitPrice',
      ...[1, 2, 3].map((n) => `F-${n},EUR,Ada,OLD-${n},Tour,10`),
    );
    const { import: found } = await checked(app, 'bookings', csv);
    await owner.post(BOOKINGS, { currency: 'EUR', customerName: 'Eve', number: 'OLD-2' });
    await owner.post(`${IMPORTS}/${found.id}/execution`);
    await runImports(app);
    const records = await recordsOf(owner, found.id);
    expect(records.map(({ status, code }) => [status, code])).toEqual([
      ['done', null],
      ['failed', 'booking_number_taken'],
      ['done', null],
    ]);
    expect((await readImport(owner, found.id)).status).toBe('completed_with_failures');
  });
});

describe('what is imported', () => {
  it('a customer with contacts, and a product as a draft with its units', async () => {
    const { 'W-1': customerId } = await importedIds(
      'customers',
      csvOf(
        'reference;kind;companyName;email;line1;city;country;notes',
        'W-1;company;Carpathia SRL;office@example.com;Str. 7;Brasov;RO;"Pays late;\noften"',
      ),
    );
    expect((await owner.get(`/v1/admin/customers/${customerId}`)).body).toMatchObject({
      data: {
        ...{ kind: 'company', companyName: 'Carpathia SRL', notes: 'Pays late;\noften' },
        emails: [{ address: 'office@example.com', isPrimary: true }],
        addresses: [{ line1: 'Str. 7', city: 'Brasov', country: 'RO' }],
      },
    });

    const { 'P-1': productId } = await importedIds(
      'products',
      csvOf(
        'reference,name,kind,timeZone,durationMinutes,unitName,unitType,maxAge',
        'P-1,Old town walk,day_tour,Europe/Bucharest,120,Adult,adult,',
        'P-1,,,,,Child,child,12',
      ),
    );
    expect((await owner.get(`/v1/admin/products/${productId}`)).body).toMatchObject({
      data: { name: 'Old town walk', status: 'draft', durationMinutes: 120 },
    });
    expect((await owner.get(`/v1/admin/products/${productId}/units`)).body).toMatchObject({
      data: [
        { name: 'Adult', type: 'adult', maxAge: null },
        { name: 'Child', type: 'child', maxAge: 12 },
      ],
    });
  });

  it('a booking takes seats of a departure after its cut-off, and no confirmation is mailed', async () => {
    const { id: ruleId } = await newRule(app, {
      trigger: 'booking_confirmed',
      stages: [{ offsetDays: 5, channels: [{ channel: 'email' }] }],
    });
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const terms = { startsAt: inDays(2), endsAt: inDays(3), cutoff: { minutesBefore: 10_000 } };
    const departure = await newDeparture(app, terms);
    const { 'T-1': customerId } = await importedIds(
      'customers',
      csvOf('reference,lastName,email', 'T-1,Stoica,stoica@example.com'),
    );
    const { 'B-1': id = '' } = await importedIds(
      'bookings',
      csvOf(
        'reference,currency,customerReference,number,title,departureId,quantity,unitPrice',
        `B-1,eur,T-1,X-77,Seat,${departure.id},2,59.50`,
      ),
    );
    expect(await readBooking(owner, id)).toMatchObject({
      ...{ number: 'X-77', status: 'confirmed', customerId, customerEmail: 'stoica@example.com' },
      ...{ totalCents: 11_900, takenOverOn: expect.any(String) },
    });
    expect((await readDeparture(app, departure.id)).sold).toBe(2);
    const { booking: soldHere } = await confirmedBooking(owner);
    expect(await runsOf(app, soldHere.id, ruleId)).toHaveLength(1);
    expect(await runsOf(app, id, ruleId)).toHaveLength(0);
    const actions = (await entriesAbout(owner, id)).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['bookings.booking.create', 'bookings.booking.confirm']));
  });

  it('a booking names the customer that remains after a merge', async () => {
    const ids = await importedIds('customers', csvOf('reference,lastName', 'M-1,Popa', 'M-2,Popa'));
    const merge = { duplicateIds: [ids['M-2']] };
    expect((await owner.post(`/v1/admin/customers/${ids['M-1']}/merges`, merge)).status).toBe(200);
    const csv = csvOf(
      'reference,currency,customerReference,title,unitPrice',
      'MB-1,EUR,M-2,Tour,10',
      'MB-2,EUR,M-2,Tour,',
    );
    const { records } = await imported(app, 'bookings', csv);
    expect(records.map(({ status, code, columnName }) => [status, code, columnName])).toEqual([
      ['done', null, null],
      ['invalid', 'required', 'unitPrice'],
    ]);
    expect(await readBooking(owner, records[0]?.subjectId ?? '')).toMatchObject({ customerId: ids['M-1'] });
  });

  // The price is 1,190.00 with 19 % of tax, of which the customer owes what it has not paid.
  it.each([
    ['nothing billed or paid', '', '', { items: [['service', 119_000, 19_000]], paid: 0, owed: 119_000 }],
    [
      'a deposit paid without an invoice',
      '',
      '300',
      { items: [['service', 119_000, 19_000]], paid: 30_000, owed: 89_000 },
    ],
    [
      'a paid deposit invoice',
      '297.50',
      '297.50',
      {
        items: [
          ['service', 119_000, 19_000],
          ['adjustment', -29_750, -4_750],
        ],
        paid: 0,
        owed: 89_250,
      },
    ],
    [
      'a deposit invoice that is open in part',
      '297.50',
      '100.00',
      {
        items: [
          ['service', 119_000, 19_000],
          ['adjustment', -29_750, -4_750],
          ['adjustment', 19_750, 0],
        ],
        paid: 0,
        owed: 109_000,
      },
    ],
    [
      'more paid than billed',
      '297.50',
      '500.00',
      {
        items: [
          ['service', 119_000, 19_000],
          ['adjustment', -29_750, -4_750],
        ],
        paid: 20_250,
        owed: 69_000,
      },
    ],
    [
      'everything billed and paid',
      '1190',
      '1190',
      {
        items: [
          ['service', 119_000, 19_000],
          ['adjustment', -119_000, -19_000],
        ],
        paid: 0,
        owed: 0,
      },
    ],
  ])('the opening balance of a booking with %s', async (name, billed, paid, expected) => {
    const tax = await newTaxCode(owner);
    const { [name]: id = '' } = await importedIds(
      'bookings',
      csvOf(
        'reference,currency,customerName,title,unitPrice,taxCodeId,billed,paid',
        `${name},EUR,Ada,Week on the coast,1190.00,${tax.id},${billed},${paid}`,
      ),
    );
    expect(await itemsOf(id)).toEqual(expected.items);
    const money = await moneyOf(id);
    expect({ paid: money['receivedCents'], owed: money['outstandingCents'] }).toEqual({
      paid: expected.paid,
      owed: expected.owed,
    });
  });

  it.each([
    ['an amount with a decimal comma', '10,50', '"1"', 'not_an_amount', 'unitPrice'],
    ['an amount with too many decimals', '10.555', '1', 'not_an_amount', 'unitPrice'],
    ['a negative amount', '-10', '1', 'not_an_amount', 'unitPrice'],
    ['a quantity that is no number', '10', 'two', 'not_a_number', 'quantity'],
  ])('%s is reported with its line and column', async (_, unitPrice, quantity, code, columnName) => {
    const csv = csvOf(
      'reference;currency;customerName;title;unitPrice;quantity',
      `Q;EUR;Ada;Tour;${unitPrice};${quantity}`,
    );
    const { records } = await checked(app, 'bookings', csv);
    expect(records).toMatchObject([
      { status: 'invalid', code, columnName, message: expect.stringContaining('Line 2') },
    ]);
  });

  it('lines of one booking must agree, and more billed than the price is rejected', async () => {
    const csv = csvOf(
      'reference,currency,customerName,title,unitPrice,billed',
      'R-1,EUR,Ada,Tour,10,',
      'R-1,RON,Ada,Dinner,5,',
      'R-2,EUR,Ada,Tour,10,11',
    );
    const { records } = await checked(app, 'bookings', csv);
    expect(records.map(({ code, columnName }) => [code, columnName])).toEqual([
      ['differs', 'currency'],
      ['exceeds_price', 'billed'],
    ]);
  });
});
