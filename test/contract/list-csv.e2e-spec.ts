import { beforeAll, describe, expect, it } from '@jest/globals';
import { BOOKINGS, confirmedBooking, invalid, type Page, problem, staffWith } from '../bookings/bookings.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { newTask, TASKS } from '../desk/tasks.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { exampleCalls } from './example-calls.js';
import { operationsOf, type Placed, readDocument } from './served-document.js';

type Row = Record<string, unknown>;

let app: TestApp;
let owner: TestClient;
let operations: Placed[];
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  operations = operationsOf(await readDocument(app));
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
    const calls = (await exampleCalls(app, operations)).filter(
      ({ operation }) => operation.method === 'GET' && isList(operation) && !operation.path.endsWith('/manifest'),
    );
    const wrong: string[] = [];
    let rowsCompared = 0;
    for (const { name, path, token } of calls) {
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
    expect(calls.length).toBeGreaterThan(50);
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
