import { beforeAll, expect, it } from '@jest/globals';
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../launcher/wait.js';
import { startApp, type TestApp } from '../setup/app.js';
import { operationsOf, type Placed, readDocument } from './served-document.js';

type Record_ = Record<string, unknown>;

interface Reference {
  /** The operation that returned it, and the name of the member. */
  place: string;
  member: string;
  id: string;
}

interface Departure {
  id: string;
  productId: string;
  startsAt: string;
  endsAt: string;
  cutoffAt: string | null;
  timeZone: string;
  priceCents: number;
  available: number;
  held: number;
  salesState: string;
}

interface CatalogDocument {
  id: string;
  locale: string;
  fields: {
    name: string;
    departureTimezone?: string;
    priceFromAmountCents?: number;
    departures?: {
      departureId?: string;
      startsAt: string;
      endsAt: string;
      bookableUntil: string | null;
      availableUnits: number;
    }[];
  };
}

/** Members that hold an ID of a record. */
const IDS = /^(\w+Id|productIds|tours)$/;
/** Members with the ID of the record itself. */
const OWN_IDS = ['id', 'envelopeId', 'componentId', 'reference'];

/** Members whose values are not IDs of readable records, with the reason. */
const OUTSIDE: Record<string, string> = {
  requestId: 'a request',
  serverRequestId: 'a request',
  correlationId: 'a request',
  actorId: 'also "system", and credentials',
  subjectId: 'also records that were deleted, and the installation',
  clientId: 'a public name of an OAuth client',
  recipientId: "the partner's own number",
  payerTaxId: 'of a tax office',
  taxId: 'of a tax office',
  vatId: 'of a tax office',
  eventId: 'an event, which is no record',
  primaryCategoryId: 'a word of the catalog',
  propertyId: 'a word of the catalog',
  bestOfferId: 'a word of the catalog',
  conditionalOfferId: 'a word of the catalog',
  planId: 'a part of a trip',
  stepId: 'a part of a trip',
};

/** The kind of ID of a path parameter whose example does not show it. */
const PARAMETERS: Record<string, string> = { bookingItemId: 'bkit', itemId: 'bkit', scheduleId: 'psch' };

let app: TestApp;
const records = new Map<string, Record_>();
const references: Reference[] = [];
let documents: CatalogDocument[];
let departures: Departure[];

beforeAll(async () => {
  app = await startApp();
  const reads = operationsOf(await readDocument(app)).filter(
    ({ method, path }) => method === 'GET' && !path.endsWith('/events') && !path.includes('entries/{id}'),
  );
  for (const operation of reads.filter(({ path }) => !path.includes('{'))) await read(operation, operation.path);
  for (const operation of reads) for (const path of pathsOf(operation)) await read(operation, path);
  documents = await readAll<CatalogDocument>('/v1/admin/catalog/documents');
  departures = await readAll<Departure>('/v1/admin/operations/departures');
  for (const one of [...documents, ...departures]) records.set(one.id, { ...one });
}, 120_000);

it('every ID in a list or a record of the demo data is the ID of a record that exists', () => {
  const missing = references.filter(({ member, id }) => OUTSIDE[member] === undefined && !records.has(id));
  expect([...new Set(missing.map(({ place, member, id }) => `${place} ${member} ${id}`))]).toEqual([]);
  const members = new Set(references.map(({ member }) => member));
  expect([...members]).toEqual(
    expect.arrayContaining([
      'productId',
      'departureId',
      'channelId',
      'bookingId',
      'facilityId',
      'operatorId',
      'targetId',
    ]),
  );
});

it('the departures that the demo catalog advertises exist, with the same times, units and price', async () => {
  // The catalog applies the events of the load in order until it shows the last state again.
  const wrong = await eventually(async () => {
    documents = await readAll<CatalogDocument>('/v1/admin/catalog/documents');
    const differing = documents.flatMap(differingDepartures);
    return differing.length === 0 ? differing : null;
  }).catch(() => documents.flatMap(differingDepartures));
  expect(wrong).toEqual([]);
});

it('the demo catalog advertises each departure that is on sale, and every departure is of a product', () => {
  const advertised = new Set(documents.flatMap(({ fields }) => fields.departures?.map((one) => one.departureId) ?? []));
  const open = departures.filter(({ salesState }) => salesState === 'open');
  expect(open.length).toBeGreaterThan(80);
  expect(open.filter(({ id }) => !advertised.has(id)).map(({ id }) => id)).toEqual([]);
  expect(departures.filter(({ productId }) => !documents.some(({ id }) => id === productId))).toEqual([]);
});

it('the storefront shows the next departure of the demo products as operations has it', async () => {
  const cards = [];
  for (const vertical of ['products', 'cruises']) {
    const search = { vertical, sort: 'departure-asc', projection: 'storefront-card', pagination: { limit: 50 } };
    const { status, body } = await app.post<{ cards: Record_[] }>('/v1/public/catalog/search', search);
    expect(status).toBe(200);
    cards.push(...body.cards);
  }
  const shown = cards.flatMap(({ id, departures: next }) => {
    const { nextDepartureAt } = next as { nextDepartureAt: string | null };
    return nextDepartureAt === null ? [] : [`${String(id)} ${new Date(nextDepartureAt).toISOString()}`];
  });
  const existing = new Set(departures.map(({ productId, startsAt }) => `${productId} ${startsAt}`));
  expect(shown.length).toBeGreaterThan(10);
  expect(shown.filter((one) => !existing.has(one))).toEqual([]);
});

it('what demo bookings, trips and contracts sell has the name of its product', async () => {
  const nameOf = (departureId: unknown) => {
    const departure = departures.find(({ id }) => id === departureId);
    return documents.find(({ id, locale }) => id === departure?.productId && locale === 'en-GB')?.fields.name;
  };
  const sold = [...records.values()].filter(({ departureId, title }) => typeof departureId === 'string' && title);
  expect(sold.length).toBeGreaterThan(20);
  const wrong = sold.filter(({ departureId, title }) => title !== nameOf(departureId));
  expect(wrong.map(({ title, departureId }) => `${String(title)}: ${nameOf(departureId)}`)).toEqual([]);

  const names = documents.map(({ fields }) => fields.name);
  const contracts = await readAll<{ title: string; bookingId: string | null; recipientName: string }>(
    '/v1/admin/legal/contracts',
  );
  expect(contracts.length).toBeGreaterThan(5);
  for (const { title, bookingId, recipientName } of contracts) {
    expect(names.filter((name) => title.endsWith(name))).toHaveLength(1);
    const { body } = await app
      .as('owner')
      .get<{ data: { customerName: string } }>(`/v1/admin/bookings/${String(bookingId)}`);
    expect(body.data.customerName).toBe(recipientName);
  }
});

/** Returns the departures of a document that differ from operations. */
function differingDepartures({ id, fields }: CatalogDocument): object[] {
  return (fields.departures ?? []).flatMap((departure): object[] => {
    const shown = {
      ...{ productId: id, timeZone: fields.departureTimezone },
      ...{ priceCents: fields.priceFromAmountCents, ...departure },
    };
    const sold = departures.find((one) => one.id === departure.departureId);
    if (!sold) return [{ shown, sold }];
    const { startsAt, endsAt, cutoffAt, productId, salesState, timeZone, priceCents } = sold;
    // A hold changes no document, but the next sale counts the held units as taken.
    const units = [sold.available, sold.available + sold.held].find((free) => free === departure.availableUnits);
    const existing = {
      ...{ departureId: sold.id, productId, timeZone, priceCents, startsAt, endsAt },
      // Closed departures have no end of sales.
      bookableUntil: salesState === 'open' ? (cutoffAt ?? startsAt) : null,
      availableUnits: units ?? sold.available,
    };
    return isDeepStrictEqual(existing, shown) ? [] : [{ shown, existing }];
  });
}

/** Reads a page or a record, and keeps the records and references in it. */
async function read({ path: template }: Placed, path: string): Promise<void> {
  const token = template.startsWith('/v1/admin/') ? app.credentials.staff.token : app.credentials.platformKey;
  const { status, body, headers } = await app.with(token).get(path, {});
  if (status !== 200 || !(headers['content-type'] ?? '').includes('json')) return;
  collect(body, template);
}

function collect(value: unknown, place: string): void {
  if (Array.isArray(value)) return value.forEach((item) => collect(item, place));
  if (typeof value !== 'object' || value === null) return;
  const record = value as Record_;
  for (const own of OWN_IDS) if (typeof record[own] === 'string') records.set(record[own], record);
  for (const [member, content] of Object.entries(record)) {
    if (IDS.test(member) && !OWN_IDS.includes(member)) {
      const ids = [content].flat().filter((id) => typeof id === 'string');
      references.push(...ids.map((id) => ({ place, member, id })));
    } else collect(content, place);
  }
}

/** The paths of an operation with one parameter, for each known record of its kind. */
function pathsOf({ path, parameters = [] }: Placed): string[] {
  const [parameter, ...others] = path.match(/\{\w+\}/g) ?? [];
  if (parameter === undefined || others.length > 0) return [];
  const { name = '', example, schema } = parameters.find((one) => `{${one.name}}` === parameter) ?? {};
  const sample = String(example ?? schema?.example);
  const prefix = PARAMETERS[name] ?? /^([a-z]+)_/.exec(sample)?.[1];
  const ids = [...records.keys()].filter((id) => prefix !== undefined && id.startsWith(`${prefix}_`));
  return (ids.length > 0 ? ids : [sample]).map((id) => path.replace(parameter, encodeURIComponent(id)));
}

async function readAll<Row>(path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const { body } = await app
      .as('owner')
      .get<{ data: Row[]; total: number }>(`${path}?limit=200&offset=${rows.length}`);
    rows.push(...body.data);
    if (rows.length >= body.total || body.data.length === 0) return rows;
  }
}
