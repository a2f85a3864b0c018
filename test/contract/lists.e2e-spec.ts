import { beforeAll, describe, expect, it } from '@jest/globals';
import { BOOKINGS, confirmedBooking, invalid, type Page, problem, staffWith } from '../bookings/bookings.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { newTask, TASKS } from '../desk/tasks.js';
import { newAllotment } from '../distribution/allotments/allotments.js';
import { newChannel } from '../distribution/channels.js';
import { newDeparture } from '../operations/departures.js';
import { newProduct } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { dereference } from '../setup/contract/document.js';
import { type ExampleCall, exampleCalls } from './example-calls.js';
import { operationsOf, type Placed, readDocument, type Schema } from './served-document.js';

type Row = Record<string, unknown>;
const MESSAGES = '/v1/admin/notifications/messages';
type NamedRow = Record<string, string | null>;

/** The member with the name of the record that belongs to a member with its ID. */
const NAMES = {
  bookingId: ['bookingNumber', 'bookings'],
  channelId: ['channelName', 'channels'],
  customerId: ['customerName', 'customers'],
  productId: ['productName', 'products'],
} as const;
type NamedId = keyof typeof NAMES;
const IDS = Object.keys(NAMES) as NamedId[];

/** Lists whose rows need no name of this record, and why. */
const WITHOUT: Readonly<Record<string, readonly NamedId[]>> = {
  // The reader is in the booking, and each row has a title or names.
  '/v1/admin/bookings/{bookingId}/items': ['productId'],
  '/v1/admin/bookings/{bookingId}/travelers': ['customerId'],
  // Entries of a booking have its number as their title.
  '/v1/admin/customers/{customerId}/timeline': ['bookingId'],
  // Reports group by the record, and have `name` or `party` instead.
  '/v1/admin/finance/reports/receivables': ['bookingId'],
  '/v1/admin/finance/reports/payables': ['bookingId'],
  '/v1/admin/finance/reports/open-installments': ['channelId'],
  '/v1/admin/finance/reports/payment-journal': ['bookingId'],
  // Pairs of customers have both names.
  '/v1/admin/customers/duplicates': ['customerId'],
};

let app: TestApp;
let owner: TestClient;
let operations: Placed[];
let schemas: Record<string, Schema>;
let calls: ExampleCall[];
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  const document = await readDocument(app);
  operations = operationsOf(document);
  schemas = document.components.schemas;
  calls = await exampleCalls(app, operations);
});

const nameOf = ({ method, path }: Placed) => `${method} ${path}`;
const parametersOf = ({ parameters = [] }: Placed) => parameters.map(({ name }) => name);

/** A cell without the apostrophes that keep a spreadsheet from executing it. */
const plain = (text: string) => text.replace(/(^|[;\t\r\n][\s"]*)'(?=[=+@＝＋－＠\t\r-])/g, '$1');
const textOf = (value: unknown) =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

/** The cells of each line as RFC 4180 defines them. */
function cellsOf(text: string): string[][] {
  const lines: string[][] = [[]];
  for (const [, quoted, simple = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? simple);
    if (end === '\r\n') lines.push([]);
  }
  return lines.slice(0, -1);
}

function rowsOf(text: string): Record<string, string>[] {
  const [names = [], ...rows] = cellsOf(text);
  return rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])));
}

/** A page as JSON and the same list as CSV. Jobs and uses of credentials change rows, so the page is read before and after. */
async function readUnchanged(client: TestClient, list: string) {
  let json = await client.get<Page<Row>>(`${list}limit=200`);
  for (let attempt = 1; attempt <= 5; attempt++) {
    const csv = await client.get(`${list}format=csv`);
    const after = await client.get<Page<Row>>(`${list}limit=200`);
    if (after.text === json.text) return { json, csv };
    json = after;
  }
  throw new Error(`${list} changed during each of five readings.`);
}

function membersOf(named: Schema | undefined): Record<string, Schema> {
  const schema = named && dereference(named, schemas);
  return Object.assign({ ...schema?.properties }, ...(schema?.allOf ?? []).map(membersOf)) as Record<string, Schema>;
}

function rowMembersOf(operation: Placed): string[] {
  const page = membersOf(operation.responses['200']?.content?.['application/json']?.schema);
  return Object.keys(membersOf(page.data?.items));
}

const lists = () =>
  operations.filter(
    (one) => one.method === 'GET' && one.path.startsWith('/v1/admin/') && parametersOf(one).includes('offset'),
  );

describe('CSV of lists', () => {
  it('each list of the staff surface can be read as CSV', () => {
    const without = lists().filter((one) => !one.responses['200']?.content?.['text/csv']);
    expect(without.map(nameOf)).toEqual([]);
    expect(lists().length).toBeGreaterThan(60);
  });

  it('the CSV of each list has the rows of the JSON page in the same order, with all members of a row', async () => {
    const isList = (one: Placed) => parametersOf(one).includes('columns') && one.path.startsWith('/v1/admin/');
    const read = calls.filter(
      ({ operation }) => operation.method === 'GET' && isList(operation) && !operation.path.endsWith('/manifest'),
    );
    const wrong: string[] = [];
    let rowsCompared = 0;
    for (const { name, path, token } of read) {
      const client = app.with(token ?? '');
      const joint = path.includes('?') ? '&' : '?';
      const { json, csv } = await readUnchanged(client, `${path}${joint}`);
      if (csv.status !== 200 || !csv.headers['content-type']?.startsWith('text/csv')) {
        wrong.push(`${name}: ${csv.status} ${csv.text.slice(0, 200)}`);
        continue;
      }
      const rows = rowsOf(csv.text);
      const [header = ''] = csv.text.split('\r\n', 1);
      const names = header.split(',');
      const expected = json.body.data.map((row) =>
        Object.entries(row).map(([member, value]) => [member, textOf(value)]),
      );
      const found = rows
        .slice(0, 200)
        .map((row, index) =>
          Object.keys(json.body.data[index] ?? {}).map((member) => [member, plain(row[member] ?? '(no column)')]),
        );
      if (
        JSON.stringify(found) !== JSON.stringify(expected) ||
        (json.body.total ?? rows.length) !== rows.length ||
        names.includes('')
      ) {
        const [one, other] = [found.flat(2), expected.flat(2)];
        const at = one.findIndex((text, index) => text !== other[index]);
        wrong.push(
          `${name}: ${one[at - 1]} ${one[at]} instead of ${other[at]}, ${rows.length} of ${json.body.total} rows`,
        );
      }
      rowsCompared += rows.length;
    }
    expect(wrong).toEqual([]);
    expect(read.length).toBeGreaterThan(50);
    expect(rowsCompared).toBeGreaterThan(100);
  }, 120_000);

  it('filters, sort and columns apply to the file, and amounts are also decimal numbers', async () => {
    const { booking } = await confirmedBooking(owner, { item: { unitSellCents: 12_345 } });
    const query = `search=${encodeURIComponent(booking.number)}&columns=totalCents,number,total`;
    const { text, headers } = await owner.get(`${BOOKINGS}?format=csv&${query}`);
    expect(text).toBe(`totalCents,number,total\r\n12345,${booking.number},123.45\r\n`);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="bookings.csv"',
    });
    const file = async (sort: string) =>
      rowsOf((await owner.get(`${BOOKINGS}?format=csv&columns=id&sort=${sort}`)).text).map(({ id }) => id);
    expect(await file('createdAt')).toEqual((await file('-createdAt')).toReversed());
  });

  it('a text that would be a formula begins with an apostrophe', async () => {
    const { id } = await newCustomer(app, { lastName: '=HYPERLINK("http://example.com")', tags: ['+1', '@SUM'] });
    const { text } = await owner.get(`${CUSTOMERS}?format=csv&columns=lastName,id&search=hyperlink`);
    expect(text).toBe(`lastName,id\r\n"'=HYPERLINK(""http://example.com"")",${id}\r\n`);
  });

  it('a file has all rows of a list with more than a page, each once and in the order of the pages', async () => {
    const title = 'One of many';
    await app.sql(
      `insert into tasks (id, title, status, source, created_by, version, created_at, updated_at)
       select 'task_many' || lpad(n::text, 5, '0'), $1, 'open', 'staff', 'system', 1, now() - make_interval(mins => n / 7), now()
       from generate_series(1, 2500) n`,
      [title],
    );
    const pages: string[] = [];
    for (let offset = 0; ; offset += 200) {
      const { body } = await owner.get<Page<{ id: string }>>(`${TASKS}?limit=200&offset=${offset}`);
      pages.push(...body.data.map(({ id }) => id));
      if (body.data.length < 200) break;
    }
    const { text } = await owner.get(`${TASKS}?format=csv&columns=id&limit=5&offset=3`);
    expect(rowsOf(text).map(({ id }) => id)).toEqual(pages);
    expect(pages.length).toBeGreaterThan(2_500);
  });

  it('a list with more than 100,000 rows is rejected as a file', async () => {
    await app.sql(
      `insert into tasks (id, title, due_on, status, source, created_by, version, created_at, updated_at)
       select 'task_huge' || n, 'Huge', '2199-01-01', 'open', 'staff', 'system', 1, now(), now() from generate_series(1, 100001) n`,
    );
    const { status, body } = await owner.get(`${TASKS}?format=csv&dueFrom=2199-01-01`);
    await app.sql(`delete from tasks where id like 'task_huge%'`);
    expect([status, body]).toEqual([422, problem('list_too_large', { field: 'format', maxRows: 100_000 })]);
  }, 60_000);

  it('unknown columns, duplicate columns and columns of JSON are invalid, and the scope of the list counts', async () => {
    await newTask(owner);
    const allowed = expect.arrayContaining(['id', 'title']);
    for (const columns of ['nothing', 'id,id', '', 'id,']) {
      const { status, body } = await owner.get(`${TASKS}?format=csv&columns=${columns}`);
      expect([status, body]).toMatchObject([400, { details: { issues: [{ path: 'columns' }] } }]);
    }
    const unknown = await owner.get<{ details: { issues: { params: object }[] } }>(
      `${TASKS}?format=csv&columns=nothing`,
    );
    expect(unknown.body.details.issues[0]?.params).toEqual({ allowed });
    const json = await owner.get(`${TASKS}?columns=id`);
    expect([json.status, json.body]).toEqual([400, invalid('columns', 'not_applicable')]);
    const format = await owner.get(`${TASKS}?format=xml`);
    expect([format.status, format.body]).toEqual([400, invalid('format', 'unknown_value')]);
    const filtered = await owner.get(`${TASKS}?format=csv&status=lost`);
    expect([filtered.status, filtered.body]).toEqual([400, invalid('status', 'unknown_value')]);
    const { status, body } = await (await staffWith(app, 'bookings:read')).get(`${TASKS}?format=csv`);
    expect([status, body]).toEqual([403, problem('forbidden', { requiredScope: 'desk:read' })]);
  });
});

describe('the rows of lists', () => {
  it('each list with the ID of a booking, channel, customer or product has the name beside it', () => {
    const missing = lists().flatMap((list) => {
      const members = rowMembersOf(list);
      // A path that contains the ID leads there from the record.
      const open = IDS.filter((id) => !list.path.includes(`{${id}}`));
      const ids = open.filter((id) => members.includes(id) && !members.includes(NAMES[id][0]));
      return ids.length === 0 ? [] : [[list.path, ids]];
    });
    expect(Object.fromEntries(missing)).toEqual(WITHOUT);
  });

  it('each name is that of the record with the ID', async () => {
    const sources = new Map<string, string>();
    const columns = { bookings: 'number', channels: 'name', customers: 'display_name', products: 'name' };
    for (const [table, column] of Object.entries(columns)) {
      const found = await app.sql<{ id: string; name: string }>(`select id, ${column} as name from ${table}`);
      for (const { id, name } of found) sources.set(id, name);
    }
    const wrong: string[] = [];
    const named = new Set<string>();
    const paths = new Set(lists().map(({ path }) => path));
    for (const { operation, path, token } of calls) {
      if (operation.method !== 'GET' || !paths.has(operation.path) || operation.path.startsWith('/v1/admin/desk/'))
        continue;
      const { body } = await app.with(token ?? '').get<Page<NamedRow>>(path);
      for (const row of body.data) {
        for (const id of IDS) {
          const [member, table] = NAMES[id];
          // The fields of a booking's customer are a copy, which may differ.
          if (!(member in row) || !(id in row) || (id === 'customerId' && operation.path.endsWith('/bookings')))
            continue;
          const expected = sources.get(row[id] ?? '') ?? null;
          if (row[member] === expected) named.add(`${operation.path} ${table}`);
          else wrong.push(`${operation.path}: ${member} is ${row[member]} instead of ${expected}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(named.size).toBeGreaterThan(15);
  });

  it('the name of a customer needs the scope to read customers', async () => {
    const { id: customerId } = await newCustomer(app, {
      lastName: 'Neagu',
      emails: [{ address: 'neagu@example.com' }],
    });
    const written = { customerId, subject: 'Your question', text: 'The hotel has a lift.' };
    expect((await app.as('owner').post(MESSAGES, written)).status).toBe(201);
    const names = async (client: TestClient) => {
      const { body } = await client.get<Page<NamedRow>>(`${MESSAGES}?customerId=${customerId}`);
      return body.data.map(({ customerName }) => customerName);
    };
    const clerk = await staffWith(app, 'notifications:read');
    expect([await names(app.as('owner')), await names(clerk)]).toEqual([['Neagu'], [null]]);
  });

  it('allotments name their product and channel', async () => {
    const { id: productId } = await newProduct(app, { name: 'Delta by boat' });
    const { id: channelId } = await newChannel(app, { name: 'Alpine Tours' });
    await newDeparture(app, { productId });
    const range = { validFrom: '2127-05-01', validTo: '2127-05-31' };
    await newAllotment(app, { channelId, productId, type: 'guaranteed', defaultQuantity: 5, ...range });
    const path = `/v1/admin/distribution/inventory-allotments?channelId=${channelId}`;
    const { body } = await app.as('owner').get<Page<NamedRow>>(path);
    expect(body.data).toMatchObject([{ productName: 'Delta by boat', channelName: 'Alpine Tours' }]);
  });
});
