import { beforeAll, expect, it } from '@jest/globals';
import { UndoingMethod } from '../../src/modules/action-ledger/entries/undoes.js';
import { DecoratedMethods } from '../../src/platform/discovery/decorated-methods.js';
import { addItem, BOOKINGS, bookingBody, confirmedBooking, itemBody, makeBooking } from '../bookings/bookings.js';
import { onlyVoucher, REDEMPTIONS, vouchersOf } from '../bookings/vouchers.js';
import { CUSTOMERS, newCustomer } from '../customers/customers.js';
import { ATTACHMENTS, newAttachment } from '../documents/attachments.js';
import {
  newTemplate as newDocumentTemplate,
  TEMPLATES as DOCUMENT_TEMPLATES,
} from '../documents/document-templates.js';
import { newNote, NOTES } from '../desk/notes.js';
import { newTask, TASKS } from '../desk/tasks.js';
import { WAITING, waitingForFull } from '../desk/waiting-list.js';
import { assignmentsOf, newAssignment, newResource, RESOURCES } from '../operations/resources.js';
import { ALLOTMENTS, newAllotment, onlySlot, departureIn } from '../distribution/allotments/allotments.js';
import { earn, change as commissionPath, soldItem } from '../finance/commissions/commissions.js';
import { draft as draftInvoice, PATH as INVOICES, sell } from '../finance/invoices/invoicing.js';
import { make as makeBill, PATH as BILLS } from '../finance/invoices.js';
import { planned, POLICY } from '../finance/payment-plans/plans.js';
import { CONTRACTS, draft as draftContract } from '../legal/contracts.js';
import { newPriceList, PRICE_LISTS } from '../products/price-lists.js';
import { newPart, newProduct, PRODUCTS } from '../products/products.js';
import { newTaxCode } from '../taxes/tax-codes.js';
import { DEPARTURES, newDeparture } from '../operations/departures.js';
import { FACILITIES, newFacility, newOperator, OPERATORS } from '../operations/facilities.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { makeDeparture, makeTrip, MANUAL, readTrip, seats, TRIPS } from '../trips/trips.js';
import { blocked, reversed } from './reversals.js';
import { unique } from './ledger.js';

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  // Jobs are disabled, so that nothing changes between an action and its reversal.
  app = await startApp({ env: { JOBS: 'false' } });
  staff = app.as('owner');
});

type Row = Record<string, unknown>;

/** Reads the resource of the path; null if it no longer exists. */
async function read(path: string): Promise<Row | null> {
  const { status, body, text } = await staff.get<{ data?: Row } & Row>(path);
  if (status !== 200 && status !== 404) throw new Error(text);
  return status === 404 ? null : (body.data ?? body);
}

/** Omits the members that every change sets, at any depth. */
function lasting(row: Row | null): unknown {
  const text = JSON.stringify(row, (name, value: unknown) => (VOLATILE.has(name) ? undefined : value));
  return JSON.parse(text) as unknown;
}
const VOLATILE = new Set(['version', 'updatedAt']);

/** A product and one of its parts: the path to the part. */
async function partOf(list: 'options' | 'units' | 'extras' | 'questions', body: object) {
  const { id: productId } = await newProduct(app);
  return at(`${PRODUCTS}/${productId}/${list}`, await newPart(app, productId, list, body));
}

const TEMPLATES = '/v1/admin/notifications/templates';
const SUPPRESSIONS = '/v1/admin/notifications/suppressions';

const newTemplate = () =>
  send('post', TEMPLATES, {
    ...{
      slug: unique('due')
        .toLowerCase()
        .replaceAll(/[^a-z0-9-]/g, '-'),
      language: 'en',
      trigger: 'installment_due',
    },
    ...{ subject: 'Pay {{amount}}', text: '{{amount}} is due.' },
  });

const ADULT = { type: 'adult', name: 'Adult', minAge: 18, seats: 2, costCents: 900, costCurrency: 'EUR' };
const LUNCH = {
  ...{ name: 'Lunch', kind: 'meal', pricing: 'per_person', maxQuantity: 9 },
  texts: [{ locale: 'de', title: 'Mittagessen', description: null }],
  prices: [{ currency: 'EUR', amountCents: 1_500 }],
};
const SIZE = {
  ...{ scope: 'unit', type: 'choice', label: 'Frame', help: 'Of the bicycle', dueDaysBefore: 3 },
  texts: [{ locale: 'de', label: 'Rahmen', help: null }],
  choices: [{ value: 'm', label: 'M', texts: [{ locale: 'de', label: 'M' }] }],
};
const PRIVATE = { name: 'Private', startTimes: ['09:00'], maxUnits: 6, cutoff: { minutesBefore: 90 } };

async function send(method: 'post' | 'put' | 'patch' | 'delete', path: string, body?: object): Promise<Row> {
  const answer = await staff[method]<{ data?: Row } & Row>(path, body);
  expect([answer.status < 300, answer.text]).toEqual([true, answer.text]);
  return answer.body?.data ?? answer.body ?? {};
}

/** An existing resource, the path to read it, and a way to change it. */
interface Subject {
  id: string;
  path: string;
  /** Also the path to change it with PATCH, unless `change` is given. */
  changes?: object;
  change?: () => Promise<unknown>;
}

const at = (path: string, row: { id?: unknown }): { id: string; path: string } => ({
  id: String(row.id),
  path: `${path}/${String(row.id)}`,
});

async function invoiceOf(order: object = {}) {
  const { id: bookingId } = await sell(app, order);
  return draftInvoice(staff, { bookingId });
}

async function onlyComponentOf(envelopeId: string): Promise<string> {
  const { components } = await readTrip(staff, envelopeId);
  return String(components[0]?.componentId);
}

const UPDATES: [action: string, make: () => Promise<Subject>][] = [
  [
    'distribution.allotment.update',
    async () => ({
      ...at(
        ALLOTMENTS,
        await newAllotment(app, {
          notes: 'Before',
          release: { mode: 'automatic', steps: [{ daysBefore: 21, keepQuantity: 2 }] },
        }),
      ),
      changes: { validTo: '2031-12-31', defaultQuantity: 9, active: false, release: null, notes: null },
    }),
  ],
  [
    'distribution.allotment_slot.update',
    async () => {
      const { productId } = await departureIn(app, 30);
      const { id: allotmentId } = await newAllotment(app, { productId, type: 'guaranteed', defaultQuantity: 4 });
      const { id } = await onlySlot(app, allotmentId);
      const slots = `${ALLOTMENTS}/${allotmentId}/slots`;
      return { id, path: slots, change: () => send('patch', `${slots}/${id}`, { allotted: 7 }) };
    },
  ],
  [
    'finance.supplier_invoice.update',
    async () => ({
      ...at(BILLS, await makeBill(staff)),
      changes: { supplierName: unique('Coach'), invoiceNumber: unique('C'), dueDate: '2031-12-31', notes: 'Checked' },
    }),
  ],
  [
    'finance.payment_policy.replace',
    async () => {
      const path = '/v1/admin/finance/payment-policy';
      await send('put', path, POLICY);
      const [first, ...others] = POLICY.steps;
      const steps = [{ ...first, percentBasisPoints: 4_000 }, ...others];
      return { id: 'organization', path, change: () => send('put', path, { ...POLICY, steps }) };
    },
  ],
  [
    'desk.task.update',
    async () => ({
      ...at(TASKS, await newTask(app.as('owner'), { dueOn: '2127-05-10' })),
      changes: { title: 'Changed', dueOn: null, status: 'done' },
    }),
  ],
  [
    'documents.template.update',
    async () => ({
      ...at(DOCUMENT_TEMPLATES, await newDocumentTemplate(app.as('owner'))),
      changes: { name: 'Changed', blocks: [{ type: 'text', text: 'Changed {{customer.name}}' }] },
    }),
  ],
  [
    'notifications.template.update',
    async () => ({
      ...at(TEMPLATES, await newTemplate()),
      changes: { subject: 'Changed', text: 'Changed {{amount}}' },
    }),
  ],
  [
    'operations.resource.update',
    async () => ({
      ...at(RESOURCES, await newResource(app, { seats: 4, languages: ['de'] })),
      changes: { seats: null, languages: ['en'], exclusive: false, name: 'Other' },
    }),
  ],
  [
    'operations.assignment.update',
    async () => {
      const assignment = await newAssignment(app, { role: 'Before' });
      return { ...at(assignmentsOf(assignment.departureId), assignment), changes: { role: null } };
    },
  ],
  [
    'operations.waiting_entry.update',
    async () => ({
      ...at(WAITING, (await waitingForFull(app, { quantity: 2, note: 'Before' })).entry),
      changes: { quantity: 3, priority: 7, note: null },
    }),
  ],
  [
    'customers.customer.update',
    async () => ({
      ...at(
        CUSTOMERS,
        await newCustomer(app, { emails: [{ address: 'before@example.com', isPrimary: true }], tags: ['vip'] }),
      ),
      changes: {
        lastName: unique('Reyes'),
        emails: [{ address: 'after@example.com', isPrimary: true }],
        phones: [{ number: '+34911234567', isPrimary: true }],
        language: 'es',
        birthDate: '1980-02-29',
        tags: [],
        notes: 'Calls in the evening',
      },
    }),
  ],
  [
    'products.product.update',
    async () => {
      const texts = [{ locale: 'de', title: 'Bootsfahrt', summary: null, description: null }];
      const made = await newProduct(app, {
        texts,
        minParticipants: 4,
        resourceNeeds: [{ type: 'guide', quantity: 1 }],
      });
      const changes = {
        name: unique('Boat'),
        durationMinutes: 90,
        minParticipants: null,
        texts: [],
        resourceNeeds: [],
      };
      return { ...at(PRODUCTS, made), changes };
    },
  ],
  [
    'products.unit.update',
    async () => ({
      ...(await partOf('units', ADULT)),
      changes: { name: 'Grown-up', minAge: null, seats: 1, costCents: null, costCurrency: null },
    }),
  ],
  [
    'products.extra.update',
    async () => ({
      ...(await partOf('extras', LUNCH)),
      changes: { name: 'Dinner', texts: [], prices: [], pricing: 'per_booking', required: true, maxQuantity: null },
    }),
  ],
  [
    'products.question.update',
    async () => ({
      ...(await partOf('questions', SIZE)),
      changes: { label: 'Size', help: null, texts: [], choices: [{ value: 's', label: 'S' }], required: true },
    }),
  ],
  [
    'products.option.update',
    async () => ({
      ...(await partOf('options', PRIVATE)),
      changes: { name: 'Alone', startTimes: [], maxUnits: null, cutoff: null, active: false },
    }),
  ],
  [
    'products.price_list.update',
    async () => ({
      ...at(PRICE_LISTS, await newPriceList(app, { soldFrom: '2027-01-01', priority: 3 })),
      changes: { name: unique('Summer'), soldFrom: null, soldTo: '2027-12-31', priority: 9 },
    }),
  ],
  [
    'operations.departure.update',
    async () => {
      const { id: facilityId } = await newFacility(app);
      const made = await newDeparture(app, { facilityId, capacity: 12 });
      const changes = {
        capacity: 20,
        facilityId: null,
        priceCents: 7_000,
        taxIncludedCents: 0,
        minParticipants: 3,
        startsAt: '2031-05-12T09:00:00.000Z',
        endsAt: '2031-05-12T18:00:00.000Z',
      };
      return { ...at(DEPARTURES, made), changes };
    },
  ],
  [
    'bookings.booking_item.update',
    async () => {
      const { id } = await makeBooking(staff);
      const item = await addItem(staff, id, { quantity: 2 });
      return {
        ...at(`${BOOKINGS}/${id}/items`, item),
        changes: { quantity: 3, title: 'Seat at the aisle', unitSellCents: 12_500 },
      };
    },
  ],
  [
    'bookings.booking_item.update',
    async () => {
      const taxCode = await newTaxCode(staff);
      const { id } = await makeBooking(staff);
      const [first, second] = [
        await newDeparture(app),
        await newDeparture(app, { startsAt: '2031-05-12T09:00:00.000Z', endsAt: '2031-05-12T18:00:00.000Z' }),
      ];
      const item = await addItem(staff, id, { departureId: first.id, quantity: 2, taxCodeId: taxCode.id });
      return { ...at(`${BOOKINGS}/${id}/items`, item), changes: { departureId: second.id, quantity: 5 } };
    },
  ],
  [
    'trips.trip_component.update',
    async () => {
      const { envelopeId } = await makeTrip(staff, [MANUAL]);
      const path = `${TRIPS}/${envelopeId}`;
      const id = await onlyComponentOf(envelopeId);
      const changes = { title: 'Public guide', quantity: 2, unitPriceCents: 9_000 };
      return { id, path, change: () => send('patch', `${path}/components/${id}`, changes) };
    },
  ],
  [
    'catalog.document.put',
    async () => {
      const name = unique('tour').replaceAll(' ', '-');
      const path = `/v1/admin/catalog/documents/products/${name}`;
      const { locale, market } = await send('put', path, { fields: { name: 'Before', tags: ['a'] } });
      const id = `products/${String(locale)}/${String(market)}/${name}`;
      return { id, path, change: () => send('put', path, { fields: { name: 'After' } }) };
    },
  ],
];

it.each(UPDATES)('the reversal of %s restores what the update changed', async (action, make) => {
  const { id, path, changes, change = () => send('patch', path, changes) } = await make();
  const before = lasting(await read(path));
  await change();
  const changed = await read(path);
  if (changes) expect(changed).toMatchObject(changes);
  expect(lasting(changed)).not.toEqual(before);

  await reversed(app, id, action);

  expect(lasting(await read(path))).toEqual(before);
});

/** An action, a way to perform it, and the state after its reversal. */
interface Performed {
  id: string;
  path: string;
  after: object | null;
}

const OTHERS: [action: string, perform: () => Promise<Performed>][] = [
  ['distribution.allotment.create', async () => ({ ...at(ALLOTMENTS, await newAllotment(app)), after: null })],
  ['finance.invoice.create', async () => ({ ...at(INVOICES, await invoiceOf()), after: null })],
  [
    'finance.commission.create',
    async () => {
      const made = await earn(staff, (await soldItem(staff)).id);
      return { id: made.id, path: commissionPath(made), after: { status: 'void' } };
    },
  ],
  [
    'documents.template.create',
    async () => ({
      ...at(DOCUMENT_TEMPLATES, await newDocumentTemplate(app.as('owner'))),
      after: { status: 'retired' },
    }),
  ],
  [
    'notifications.template.create',
    async () => ({ ...at(TEMPLATES, await newTemplate()), after: { status: 'retired' } }),
  ],
  [
    'notifications.suppression.create',
    async () => ({
      ...at(
        SUPPRESSIONS,
        await send('post', SUPPRESSIONS, {
          address: `${unique('no')
            .toLowerCase()
            .replaceAll(/[^a-z0-9]/g, '')}@example.com`,
        }),
      ),
      after: { liftedAt: expect.any(String) },
    }),
  ],
  [
    'operations.assignment.create',
    async () => {
      const assignment = await newAssignment(app);
      return { ...at(assignmentsOf(assignment.departureId), assignment), after: null };
    },
  ],
  [
    'operations.resource.create',
    async () => ({ ...at(RESOURCES, await newResource(app)), after: { status: 'archived' } }),
  ],
  [
    'operations.waiting_entry.create',
    async () => ({ ...at(WAITING, (await waitingForFull(app)).entry), after: { status: 'withdrawn' } }),
  ],
  ['desk.task.create', async () => ({ ...at(TASKS, await newTask(staff)), after: { status: 'dismissed' } })],
  [
    'desk.note.create',
    async () => {
      const { id: subjectId } = await newCustomer(app);
      return { ...at(NOTES, await newNote(staff, { subjectType: 'customer', subjectId })), after: null };
    },
  ],
  [
    'products.option.create',
    async () => {
      const first = await partOf('options', PRIVATE);
      const [productId = ''] = first.path.split('/').slice(-3);
      const { id } = await newPart(app, productId, 'options', { name: 'Shared', isDefault: true });
      return { id, path: first.path, after: { isDefault: true } };
    },
  ],
  [
    'products.option.update',
    async () => {
      const first = await partOf('options', PRIVATE);
      const [productId = ''] = first.path.split('/').slice(-3);
      const { id } = await newPart(app, productId, 'options', { name: 'Shared' });
      await send('patch', first.path.replace(first.id, id), { isDefault: true });
      return { id, path: first.path, after: { isDefault: true } };
    },
  ],
  ...(['unit', 'option', 'extra', 'question'] as const).flatMap((kind): [string, () => Promise<Performed>][] => {
    const make = () => partOf(`${kind}s`, { unit: ADULT, option: PRIVATE, extra: LUNCH, question: SIZE }[kind]);
    const deleted = async (): Promise<Performed> => {
      const subject = await make();
      const after = { ...(lasting(await read(subject.path)) as Row), createdAt: expect.any(String) };
      await send('delete', subject.path);
      return { ...subject, after };
    };
    return [
      [`products.${kind}.create`, async () => ({ ...(await make()), after: null })],
      [`products.${kind}.delete`, deleted],
    ];
  }),
  [
    'operations.departure.create',
    async () => ({ ...at(DEPARTURES, await newDeparture(app)), after: { status: 'cancelled' } }),
  ],
  [
    'operations.facility.create',
    async () => ({ ...at(FACILITIES, await newFacility(app)), after: { status: 'archived' } }),
  ],
  [
    'operations.ground_operator.create',
    async () => ({ ...at(OPERATORS, await newOperator(app)), after: { active: false } }),
  ],
  [
    'legal.contract.create',
    async () => {
      const { reference } = await draftContract(app);
      return { ...at(CONTRACTS, { id: reference }), after: { status: 'void' } };
    },
  ],
  [
    'trips.trip.create',
    async () => {
      const { envelopeId: id } = await makeTrip(staff, []);
      return { id, path: `${TRIPS}/${id}`, after: { status: 'cancelled' } };
    },
  ],
  [
    'trips.trip_component.create',
    async () => {
      const { id: departureId } = await makeDeparture(staff);
      const { envelopeId } = await makeTrip(staff, [seats(departureId)]);
      return { id: await onlyComponentOf(envelopeId), path: `${TRIPS}/${envelopeId}`, after: { components: [] } };
    },
  ],
  [
    'identity.api_token.create',
    async () => {
      const path = '/v1/admin/identity/api-tokens';
      const made = await send('post', path, { name: 'Report', scopes: ['bookings:read'] });
      const id = String(made['id']);
      return { id, path: `${path}?limit=1`, after: [{ id, revokedAt: expect.any(String) }] };
    },
  ],
  [
    'bookings.booking.create',
    async () => ({ ...at(BOOKINGS, await send('post', BOOKINGS, bookingBody())), after: { status: 'cancelled' } }),
  ],
  [
    'bookings.booking_item.create',
    async () => {
      const items = `${BOOKINGS}/${(await makeBooking(staff)).id}/items`;
      return { ...at(items, await send('post', items, itemBody())), after: { status: 'cancelled' } };
    },
  ],
  [
    'documents.attachment.create',
    async () => {
      const { id: subjectId } = await newCustomer(app);
      return { ...at(ATTACHMENTS, await newAttachment(staff, { subjectType: 'customer', subjectId })), after: null };
    },
  ],
  [
    'bookings.voucher.issue',
    async () => {
      const { sale, voucher } = await onlyVoucher(app);
      return { ...at(vouchersOf(sale.bookingId), voucher), after: { status: 'void', voidCause: 'staff' } };
    },
  ],
  [
    'bookings.voucher.void',
    async () => {
      const { sale, voucher } = await onlyVoucher(app);
      const subject = at(vouchersOf(sale.bookingId), voucher);
      await send('post', `${subject.path}/voiding`, { reason: 'Lost' });
      return { ...subject, after: { status: 'issued', code: voucher.code, voidCause: null } };
    },
  ],
  [
    'bookings.voucher.reinstate',
    async () => {
      const { sale, voucher } = await onlyVoucher(app);
      const subject = at(vouchersOf(sale.bookingId), voucher);
      await send('post', `${subject.path}/voiding`, { reason: 'Lost' });
      await send('post', `${subject.path}/reinstatement`, { reason: 'Found' });
      return { ...subject, after: { status: 'void', voidCause: 'staff' } };
    },
  ],
  [
    'operations.voucher.redeem',
    async () => {
      const { sale, voucher } = await onlyVoucher(app);
      await send('post', REDEMPTIONS, { code: voucher.code });
      return { ...at(vouchersOf(sale.bookingId), voucher), after: { status: 'issued', redeemedAt: null } };
    },
  ],
  [
    'bookings.booking.cancel',
    async () => {
      const { booking } = await confirmedBooking(staff);
      await send('post', `${BOOKINGS}/${booking.id}/cancellation`, { reason: 'By mistake' });
      return { ...at(BOOKINGS, booking), after: { status: 'confirmed', totalCents: booking['totalCents'] } };
    },
  ],
  [
    'bookings.booking_item.cancel',
    async () => {
      const { booking, item } = await confirmedBooking(staff);
      const subject = at(`${BOOKINGS}/${booking.id}/items`, item);
      await send('post', `${subject.path}/cancellation`, {});
      return { ...subject, after: { status: 'confirmed', totalSellCents: item.totalSellCents } };
    },
  ],
  [
    'finance.supplier_invoice.reopen',
    async () => {
      const subject = at(BILLS, await makeBill(staff, { status: 'approved' }));
      await send('post', `${subject.path}/reopening`, { reason: 'A line is missing' });
      return { ...subject, after: { status: 'approved' } };
    },
  ],
  [
    'finance.period.close',
    async () => {
      // The month of the first posting must be closed first, and only after it has ended.
      app.travel({ days: 62 });
      const periods = '/v1/admin/finance/periods';
      const tooEarly = await staff.post<{ details: { next: string } }>(`${periods}/2000-01/closing`);
      const month = tooEarly.body.details.next;
      await send('post', `${periods}/${month}/closing`);
      app.travel({ days: -62 });
      return { id: month, path: `${periods}/${month}`, after: { status: 'open' } };
    },
  ],
  [
    'finance.payment_schedule.unwaive',
    async () => {
      const [bookingId, { id }] = await planned(staff);
      const path = `/v1/admin/finance/bookings/${bookingId}/payment-schedules/${id}`;
      await send('patch', `${path}?rebalance=none`, { status: 'cancelled' });
      await send('patch', `${path}?rebalance=none`, { status: 'pending' });
      return { id, path, after: { status: 'cancelled', waived: true } };
    },
  ],
  [
    'operations.departure.reinstate',
    async () => {
      const subject = at(DEPARTURES, await newDeparture(app));
      await send('post', `${subject.path}/cancellation`, {});
      await send('post', `${subject.path}/reinstatement`, {});
      return { ...subject, after: { status: 'cancelled' } };
    },
  ],
  [
    'catalog.document.delete',
    async () => {
      const name = unique('tour').replaceAll(' ', '-');
      const path = `/v1/admin/catalog/documents/products/${name}`;
      await send('put', path, { fields: { name: 'Kept' } });
      await send('delete', path);
      return { id: `products/${name}`, path, after: { fields: { name: 'Kept' } } };
    },
  ],
];

it.each(OTHERS)('the reversal of %s leaves what its inverse leaves', async (action, perform) => {
  const { id, path, after } = await perform();

  const { before, after: recorded } = await reversed(app, id, action);

  expect([before, recorded]).not.toEqual([null, null]);
  const row = await read(path);
  if (after === null) expect(row).toBeNull();
  else expect(row).toMatchObject(after);
});

it('each action that a use case undoes has a row in one of these tables', () => {
  const undone = app.nest
    .get(DecoratedMethods, { strict: false })
    .find(UndoingMethod)
    .flatMap(({ options }) => options.actions);
  const shown = new Set([...UPDATES, ...OTHERS].map(([action]) => action));

  expect(undone.length).toBeGreaterThan(20);
  expect(undone.filter((action) => !shown.has(action))).toEqual([]);
});

it('the reversal of the creation of a token that is revoked already is blocked', async () => {
  const path = '/v1/admin/identity/api-tokens';
  const id = String((await send('post', path, { name: 'Gone', scopes: ['bookings:read'] }))['id']);
  await send('delete', `${path}/${id}`);
  expect(await blocked(app, id, 'identity.api_token.create')).toMatchObject({ reason: 'nothing_to_reverse' });
});

it('the reversal of an update is blocked if it would not restore all of it', async () => {
  const [first, second] = [
    await newDeparture(app),
    await newDeparture(app, { startsAt: '2031-05-12T09:00:00.000Z', endsAt: '2031-05-12T18:00:00.000Z' }),
  ];
  const { id: bookingId } = await makeBooking(staff);
  const item = await addItem(staff, bookingId, { departureId: first.id });
  await send('patch', `${BOOKINGS}/${bookingId}/items/${item.id}`, { departureId: second.id });
  // The item will follow its former departure to its current day.
  await send('patch', `${DEPARTURES}/${first.id}`, {
    startsAt: '2031-06-01T09:00:00.000Z',
    endsAt: '2031-06-01T18:00:00.000Z',
  });
  expect(await blocked(app, item.id, 'bookings.booking_item.update')).toEqual({
    reason: 'not_restored',
    members: ['serviceDate'],
  });
});

it('a reversal by a use case is blocked if the subject was changed since, and by the rules of the use case', async () => {
  const departure = await newDeparture(app);
  await send('patch', `${DEPARTURES}/${departure.id}`, { capacity: 40 });
  expect(await blocked(app, departure.id, 'operations.departure.create')).toEqual({
    reason: 'changed_since',
    recordedVersion: 1,
    currentVersion: 2,
  });
  const { booking } = await confirmedBooking(staff);
  expect(await blocked(app, booking.id, 'bookings.booking.create')).toMatchObject({ reason: 'changed_since' });
});
