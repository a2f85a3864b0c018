import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { BOOKINGS, confirmedBooking, entriesAbout, makeBooking, readBooking, staffWith } from '../bookings/bookings.js';
import { newCustomer, readCustomer } from '../customers/customers.js';
import { draft, read as readInvoice, sell } from '../finance/invoices/invoicing.js';
import { BulkOperationsService } from '../../src/modules/desk/bulk-operations/bulk-operations.service.js';
import { DeskData } from '../../src/modules/desk/desk-data.js';
import { Database } from '../../src/platform/database/database.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { hire, SESSIONS, USERS } from '../identity/staff.js';
import { newDeparture, read as readDeparture } from '../operations/departures.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { BULK, bulk, bulkItems, readBulk, runBulk, setBulk, startBulk } from './bulk-operations.js';
import { soldBooking } from './call-offs/call-offs.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  // The tests run the jobs themselves.
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
});

const customers = async (count: number, terms: object = {}) =>
  Promise.all(Array.from({ length: count }, async () => (await newCustomer(app, terms)).id));
const tagging = (ids: readonly string[], over: object = {}) => ({
  ...{ type: 'customers.tag', ids, params: { add: ['season-2027'] } },
  ...over,
});
const outcomes = (items: readonly { subjectId: string; status: string; code: string | null }[]) =>
  items.map(({ subjectId, status, code }) => [subjectId, status, code]);
const actionsAbout = async (id: string) => (await entriesAbout(owner, id)).map(({ action }) => action);

describe('a bulk operation', () => {
  it('changes each record by its own service, and reports the one that it cannot change', async () => {
    const [first = '', second = ''] = await customers(2, { tags: ['regular', 'old'] });
    const missing = 'cus_01k0dem000e000000000000999';
    const params = { add: ['season-2027', 'regular'], remove: ['old', 'absent'] };
    const started = await startBulk(owner, tagging([first, missing, second], { params }));
    expect(started).toMatchObject({ status: 'planned', total: 3, pending: 3, done: 0, params, endedAt: null });
    await runBulk(app);

    expect(await readBulk(owner, started)).toMatchObject({
      ...{ status: 'completed_with_failures', pending: 0, done: 2, failed: 1, skipped: 0 },
      endedAt: expect.any(String),
    });
    expect(await bulkItems(owner, started)).toMatchObject([
      { subjectId: first, position: 1, status: 'done', code: null, message: null, field: null },
      { subjectId: missing, position: 2, status: 'failed', code: 'not_found', message: 'Not found', field: null },
      { subjectId: second, position: 3, status: 'done' },
    ]);
    expect(await bulkItems(owner, started, '&status=failed,skipped')).toHaveLength(1);
    expect((await readCustomer(app, second))['tags']).toEqual(['regular', 'season-2027']);
    expect(await actionsAbout(first)).toEqual(['customers.customer.create', 'customers.customer.update']);
    expect(await actionsAbout(started.id)).toEqual(
      ['create', 'start', 'complete'].map((verb) => `desk.bulk_operation.${verb}`),
    );
  });

  it('changes the records that the filters of the list find when it starts', async () => {
    const [first = '', second = ''] = await customers(2, { tags: ['frozen'] });
    const started = await startBulk(
      owner,
      tagging([], { ids: undefined, filters: { tag: 'frozen', sort: 'createdAt' } }),
    );
    await customers(1, { tags: ['frozen'] });
    await runBulk(app);
    const items = await bulkItems(owner, started);
    expect(items.map(({ subjectId }) => subjectId).sort()).toEqual([first, second].sort());
  });

  it.each([
    ['neither ids nor filters', { ids: undefined }, 400, 'ids'],
    ['ids and filters', { filters: { tag: 'a' } }, 400, 'ids'],
    ['an unknown filter', { ids: undefined, filters: { tags: 'a' } }, 400, 'filters.tags'],
    ['a malformed filter', { ids: undefined, filters: { status: 'actief' } }, 400, 'filters.status'],
    ['a page', { ids: undefined, filters: { limit: '5' } }, 400, 'filters.limit'],
    ['an unknown member of params', { params: { tags: ['a'] } }, 400, 'params.tags'],
    ['a malformed member of params', { params: { add: 'a' } }, 400, 'params.add'],
    ['no change', { params: {} }, 400, 'params.add'],
    ['no field of departures to change', { type: 'departures.update', params: {} }, 400, 'params'],
    ['a message without text', { type: 'bookings.message', params: { subject: 'A' } }, 400, 'params.text'],
    ['times of departures', { type: 'departures.update', params: { startsAt: '2127-01-01T00:00:00Z' } }, 400, 'params'],
  ])('with %s is rejected', async (_, over, status, path) => {
    const answer = await owner.post<{ details: { issues: { path: string }[] } }>(BULK, tagging(['cus_1'], over));
    expect(answer.status).toBe(status);
    expect(answer.body.details.issues[0]?.path).toContain(path);
  });

  it('without any record is rejected, and so is one with more than 1,000', async () => {
    const none = tagging([], { ids: undefined, filters: { tag: 'nobody-has-it' } });
    expect(await owner.post(BULK, none)).toMatchObject({ status: 422, body: { code: 'selection_empty' } });
    const [id = ''] = await customers(1, { tags: ['copied'] });
    const columns = await app.sql<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_schema = 'public' and table_name = 'customers' and is_generated = 'NEVER' and column_name <> 'id'`,
    );
    const names = columns.map(({ name }) => name).join(', ');
    await app.sql(
      `insert into customers (id, ${names}) select id || n, ${names} from customers, generate_series(1, 1000) n where id = $1`,
      [id],
    );
    const many = tagging([], { ids: undefined, filters: { tag: 'copied' } });
    const details = { field: 'filters', total: 1_001, max: 1_000 };
    expect(await owner.post(BULK, many)).toMatchObject({ status: 422, body: { code: 'selection_too_large', details } });
  });

  it('that is a dry run shows the outcomes and changes nothing', async () => {
    const { booking } = await confirmedBooking(owner, { booking: { customerEmail: 'dry@example.com' } });
    const { booking: cancelled } = await confirmedBooking(owner);
    await owner.post(`${BOOKINGS}/${cancelled.id}/cancellation`, { reason: 'Ill' });
    const before = await actionsAbout(booking.id);
    const ids = [booking.id, cancelled.id];
    const cancel = { type: 'bookings.cancel', ids, params: { reason: 'Season cut short' }, dryRun: true };
    const { operation, items } = await bulk(app, cancel);
    expect(operation).toMatchObject({ dryRun: true, status: 'completed_with_failures', done: 1, failed: 1 });
    expect(outcomes(items)).toEqual([
      [booking.id, 'done', null],
      [cancelled.id, 'failed', 'invalid_transition'],
    ]);
    const message = { type: 'bookings.message', ids: [booking.id], params: { subject: 'Hello', text: 'Hello' } };
    expect((await bulk(app, { ...message, dryRun: true })).operation).toMatchObject({ done: 1 });

    expect(await readBooking(owner, booking.id)).toMatchObject({ status: 'confirmed', version: booking.version });
    expect(await actionsAbout(booking.id)).toEqual(before);
    expect(await app.sql(`select from notification_messages where recipient = 'dry@example.com'`)).toHaveLength(0);
  });
});

describe('the types of bulk operations', () => {
  it('send one message about each booking, beyond the daily limit of a user', async () => {
    const { client, user } = await hire(app, ['sales', 'operations']);
    const addresses = Array.from({ length: 3 }, (_, n) => `bulk-${n}@example.com`);
    const ids: string[] = [];
    for (const customerEmail of addresses) ids.push((await makeBooking(owner, { customerEmail })).id);
    ids.push((await makeBooking(owner)).id);
    await app.sql(
      `insert into notification_messages (id, kind, status, recipient, recipient_kind, subject, text, attempts, send_at, sent_at,
         created_by, created_at, updated_at)
       select 'nmsg_bulk_' || n, 'manual', 'sent', 'x@example.com', 'primary', 'x', 'x', 1, now(), now(), $1, $2, $2
       from generate_series(1, 200) n`,
      [user.id, app.now()],
    );
    const params = { subject: 'The road is closed', text: 'Please take the bus at pier 3.' };
    const single = { ...params, bookingId: ids[0] };
    expect((await client.post('/v1/admin/notifications/messages', single)).body).toMatchObject({
      code: 'daily_limit_reached',
    });
    const { items } = await bulk(app, { type: 'bookings.message', ids, params }, client);
    expect(items.map(({ status, code }) => code ?? status)).toEqual(['done', 'done', 'done', 'no_recipient']);
    const sent = await app.sql<{ recipient: string; created_by: string | null; actor: string }>(
      `select m.recipient, m.created_by, e.actor_id as actor from notification_messages m
         join action_ledger_entries e on e.subject_id = m.id and e.action = 'notifications.message.create'
       where m.booking_id = any($1) order by 1`,
      [ids],
    );
    expect(sent).toEqual(addresses.map((recipient) => ({ recipient, created_by: null, actor: user.id })));
  });

  it('cancel bookings, and move others to a departure of the same product while it has room', async () => {
    const from = await newDeparture(app);
    const to = await newDeparture(app, {
      productId: from.productId,
      startsAt: '2127-05-14T06:00:00.000Z',
      endsAt: '2127-05-14T15:00:00.000Z',
      capacity: 3,
    });
    const other = await newDeparture(app);
    const two = await soldBooking(owner, from.id, { quantity: 2 });
    const big = await soldBooking(owner, from.id, { quantity: 2 });
    const elsewhere = await soldBooking(owner, other.id);
    const move = { departureId: from.id, targetDepartureId: to.id, reason: 'The boat is in repair' };
    const moving = { type: 'bookings.move', ids: [two.id, big.id, elsewhere.id], params: move };
    expect(outcomes((await bulk(app, moving)).items)).toEqual([
      [two.id, 'done', null],
      [big.id, 'failed', 'capacity_exceeded'],
      [elsewhere.id, 'failed', 'booking_not_on_departure'],
    ]);
    expect(await readBooking(owner, two.id)).toMatchObject({ departureDate: '2127-05-14', totalCents: 11_800 });
    expect((await readDeparture(app, from.id)).sold).toBe(2);

    for (const [targetDepartureId, code] of [
      [from.id, 'same_departure'],
      [other.id, 'product_mismatch'],
      ['dep_01k0dem000e000000000000999', 'not_found'],
    ]) {
      const body = { ...moving, params: { ...move, targetDepartureId } };
      const details = { field: 'params.targetDepartureId' };
      expect((await owner.post(BULK, body)).body).toMatchObject({ code, details });
    }

    const cancel = {
      type: 'bookings.cancel',
      ids: [two.id, elsewhere.id],
      params: { reason: 'Too late', initiator: 'operator' },
    };
    expect((await bulk(app, cancel)).operation).toMatchObject({ status: 'completed', done: 2 });
    expect((await readBooking(owner, two.id)).status).toBe('cancelled');
  });

  it('issue invoices with numbers of their own, of which a dry run uses none', async () => {
    const drafts = [];
    for (let n = 0; n < 3; n += 1) drafts.push(await draft(owner, { bookingId: (await sell(app)).id }));
    const ids = drafts.map(({ id }) => id);
    const counters = () => app.sql('select * from invoice_number_counters order by series_id, period_key');
    const before = await counters();
    expect((await bulk(app, { type: 'invoices.issue', ids, dryRun: true })).operation).toMatchObject({ done: 3 });
    expect(await counters()).toEqual(before);
    expect(await readInvoice(owner, ids[0] ?? '')).toMatchObject({ status: 'draft', number: null });
    const { operation } = await bulk(app, { type: 'invoices.issue', ids });
    expect(operation).toMatchObject({ status: 'completed', done: 3 });
    const invoices = await Promise.all(ids.map((id) => readInvoice(owner, id)));
    expect(new Set(invoices.map(({ number }) => number)).size).toBe(3);
    expect(invoices.every(({ status }) => status === 'issued')).toBe(true);
    expect(outcomes((await bulk(app, { type: 'invoices.issue', ids: ids.slice(0, 1) })).items)).toEqual([
      [ids[0], 'failed', 'invalid_transition'],
    ]);
  });

  it('print documents of bookings and departures', async () => {
    const { booking } = await confirmedBooking(owner);
    const { id } = await newDeparture(app);
    const confirmations = {
      type: 'documents.create',
      ids: [booking.id, id],
      params: { kind: 'confirmation', subjectType: 'booking' },
    };
    expect(outcomes((await bulk(app, confirmations)).items)).toEqual([
      [booking.id, 'done', null],
      [id, 'failed', 'not_found'],
    ]);
    const manifest = { kind: 'manifest', subjectType: 'departure', language: 'de' };
    expect((await bulk(app, { type: 'documents.create', ids: [id], params: manifest })).operation).toMatchObject({
      done: 1,
    });
    const printed = await app.sql(
      'select kind, subject_id as id from record_documents where subject_id = any($1) order by kind',
      [[booking.id, id]],
    );
    expect(printed).toEqual([
      { kind: 'confirmation', id: booking.id },
      { kind: 'manifest', id },
    ]);
    const wrong = { type: 'documents.create', ids: [id], params: { ...manifest, subjectType: 'trip' } };
    expect((await owner.post(BULK, wrong)).status).toBe(400);
    const trips = { type: 'documents.create', filters: {}, params: { kind: 'itinerary', subjectType: 'trip' } };
    expect((await owner.post(BULK, trips)).status).toBe(400);
  });

  it('change and cancel departures', async () => {
    const [empty, sold] = [await newDeparture(app), await newDeparture(app)];
    await soldBooking(owner, sold.id, { quantity: 2 });
    const ids = [empty.id, sold.id];
    const changed = await bulk(app, { type: 'departures.update', ids, params: { capacity: 1, priceCents: 6_400 } });
    expect(outcomes(changed.items)).toEqual([
      [empty.id, 'done', null],
      [sold.id, 'failed', 'capacity_exceeded'],
    ]);
    expect(await readDeparture(app, empty.id)).toMatchObject({ capacity: 1, priceCents: 6_400 });
    const cancelled = await bulk(app, { type: 'departures.cancel', ids, params: { reason: 'Out of season' } });
    expect(outcomes(cancelled.items)).toEqual([
      [empty.id, 'done', null],
      [sold.id, 'failed', 'departure_in_use'],
    ]);
  });
});

describe('who may run a bulk operation', () => {
  it.each([
    ['bookings.message', ['desk:write', 'notifications:write'], 'bookings:read'],
    ['bookings.cancel', ['desk:write', 'bookings:read'], 'bookings:write'],
    ['invoices.issue', ['desk:write', 'finance:read'], 'finance:write'],
    ['departures.cancel', ['desk:write', 'operations:read'], 'operations:write'],
    ['customers.tag', ['desk:write', 'customers:read'], 'customers:write'],
  ])('%s needs more scopes than %j', async (type, scopes, requiredScope) => {
    const caller = await staffWith(app, ...scopes);
    expect(await caller.post(BULK, { type, ids: ['x'] })).toMatchObject({
      status: 403,
      body: { details: { requiredScope } },
    });
  });

  it('documents need the scopes to read what they print, also to pause, resume, cancel or retry', async () => {
    const { booking } = await confirmedBooking(owner);
    const { id: departureId } = await newDeparture(app);
    const held = ['desk:write', 'documents:write'];
    const printing = (ids: string[], kind: string, subjectType: string) => ({
      ...{ type: 'documents.create', ids, params: { kind, subjectType } },
    });
    const rejected = async (scopes: readonly string[], body: object, requiredScope: string) =>
      expect(await (await staffWith(app, ...scopes)).post(BULK, body)).toMatchObject({
        status: 403,
        body: { details: { requiredScope } },
      });
    const confirmations = printing([booking.id], 'confirmation', 'booking');
    await rejected(held, confirmations, 'bookings:read');
    await rejected(held, printing([departureId], 'manifest', 'departure'), 'operations:read');
    await rejected(held, printing(['trip_1'], 'itinerary', 'trip'), 'trips:read');
    await rejected([...held, 'operations:read'], printing([departureId], 'rooming_list', 'departure'), 'bookings:read');

    const { id } = await startBulk(owner, confirmations);
    const caller = await staffWith(app, ...held);
    for (const step of ['pause', 'resumption', 'cancellation', 'retries']) {
      const details = { requiredScope: 'bookings:read' };
      expect(await caller.post(`${BULK}/${id}/${step}`)).toMatchObject({ status: 403, body: { details } });
    }
  });

  it('the parameters are shown to callers that may read the records', async () => {
    const { operation } = await bulk(app, tagging(await customers(1), { dryRun: true }));
    const stranger = await staffWith(app, 'desk:read', 'bookings:read');
    expect(await readBulk(stranger, operation)).toMatchObject({ params: null, done: 1 });
    const reader = await staffWith(app, 'desk:read', 'customers:read');
    expect(await readBulk(reader, operation)).toMatchObject({ params: { add: ['season-2027'] } });
  });

  it('filters need the scope of their list', async () => {
    const caller = await staffWith(app, 'desk:write', 'customers:write');
    const body = tagging([], { ids: undefined, filters: {} });
    const details = { requiredScope: 'customers:read' };
    expect(await caller.post(BULK, body)).toMatchObject({ status: 403, body: { details } });
  });

  it('a person who loses the role, or whose session ends, changes nothing more', async () => {
    const { client, user } = await hire(app, ['sales']);
    const [first = '', second = ''] = await customers(2);
    const lost = await startBulk(client, tagging([first]));
    await owner.patch(`${USERS}/${user.id}`, { roles: ['finance'] });
    await runBulk(app);
    expect(await bulkItems(owner, lost)).toMatchObject([{ status: 'failed', code: 'forbidden' }]);
    await owner.patch(`${USERS}/${user.id}`, { roles: ['sales'] });

    const ended = await startBulk(client, tagging([second]));
    await client.delete(`${SESSIONS}/current`);
    await runBulk(app);
    expect(await bulkItems(owner, ended)).toMatchObject([
      {
        status: 'failed',
        code: 'forbidden',
        message: 'The session or token with which the operation was started has ended',
      },
    ]);
    expect(await actionsAbout(second)).toEqual(['customers.customer.create']);

    const retried = await hire(app, ['sales']);
    expect((await retried.client.post(`${BULK}/${ended.id}/retries`)).status).toBe(202);
    await runBulk(app);
    expect(await readBulk(owner, ended)).toMatchObject({ status: 'completed', startedBy: retried.user.id });
    expect((await entriesAbout(owner, second)).at(-1)).toMatchObject({ actorType: 'user', actorId: retried.user.id });
  });
});

describe('the run of bulk operations', () => {
  it('can be paused, resumed and cancelled for the rest', async () => {
    const [first = '', second = ''] = await customers(2);
    const started = await startBulk(owner, tagging([first, second]));
    const post = async (step: string) => owner.post(`${BULK}/${started.id}/${step}`);
    expect(await post('pause')).toMatchObject({ status: 200, body: { data: { status: 'paused' } } });
    await runBulk(app);
    expect(await readBulk(owner, started)).toMatchObject({ status: 'paused', pending: 2 });
    expect(await post('pause')).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
    expect(await post('retries')).toMatchObject({ status: 409 });
    expect(await post('resumption')).toMatchObject({ status: 202, body: { data: { status: 'planned' } } });
    expect(await post('cancellation')).toMatchObject({
      status: 200,
      body: { data: { status: 'cancelled', skipped: 2 } },
    });
    await runBulk(app);
    expect(outcomes(await bulkItems(owner, started))).toEqual([
      [first, 'skipped', 'cancelled'],
      [second, 'skipped', 'cancelled'],
    ]);
    expect(await post('resumption')).toMatchObject({ status: 409 });
  });

  it('ends for a pause, which waits only for the items in work', async () => {
    const ids = await customers(60);
    const started = await startBulk(owner, tagging(ids));
    const runs = Promise.all([runBulk(app), runBulk(app), runBulk(app), runBulk(app)]);
    while ((await readBulk(owner, started)).done === 0) await wait(5);
    const paused = await owner.post<{ data: { done: number; pending: number } }>(`${BULK}/${started.id}/pause`);
    expect(paused).toMatchObject({ status: 200, body: { data: { status: 'paused' } } });
    await runs;
    const { done, pending } = paused.body.data;
    expect(pending).toBeGreaterThan(0);
    expect(await readBulk(owner, started)).toMatchObject({ status: 'paused', done, pending });
  });

  it('repeats an item whose error was temporary, but not within a minute', async () => {
    const [id = ''] = await customers(1);
    const started = await startBulk(owner, tagging([id]));
    await app.sql(
      `create function interrupt() returns trigger language plpgsql as $$ begin raise 'interrupted'; end $$`,
    );
    await app.sql(
      `create trigger interrupted before update on customers for each row when (new.id = '${id}') execute function interrupt()`,
    );
    await runBulk(app);
    await app.sql('drop trigger interrupted on customers');
    await runBulk(app);
    expect(await bulkItems(owner, started)).toMatchObject([{ status: 'pending', code: 'internal_error' }]);
    await app.sql(
      `update bulk_operation_items set updated_at = updated_at - interval '61 seconds' where operation_id = $1`,
      [started.id],
    );
    await runBulk(app);
    expect(await bulkItems(owner, started)).toMatchObject([{ status: 'done', code: null }]);
  });

  it('lets a third operation wait while two run', async () => {
    const ids = await customers(1);
    const running = [await startBulk(owner, tagging(ids)), await startBulk(owner, tagging(ids))];
    for (const { id } of running) await setBulk(app, id, 'running');
    const third = await startBulk(owner, tagging(ids));
    const admit = () => asSystem(() => app.nest.get(BulkOperationsService, { strict: false }).admit(third.id));
    expect(await admit()).toBe(false);
    expect((await owner.post(`${BULK}/${running[0]?.id}/pause`)).status).toBe(200);
    expect((await owner.post(`${BULK}/${running[0]?.id}/resumption`)).status).toBe(202);
    expect(await admit()).toBe(false);
    const key = `desk.bulk-operation:${third.id}`;
    await app.sql('select from graphile_worker.remove_job($1)', [key]);
    expect((await owner.post(`${BULK}/${running[0]?.id}/cancellation`)).status).toBe(200);
    const jobs = await app.sql(`select from graphile_worker.jobs where key = $1`, [key]);
    expect(jobs).toHaveLength(1);
    expect(await admit()).toBe(true);
    await runBulk(app);
    expect((await readBulk(owner, third)).status).toBe('completed');
  });

  it('changes each record once, also with several processes and two operations about the same records', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push((await makeBooking(owner)).id);
    const cancel = (reversed: boolean) => ({
      ...{ type: 'bookings.cancel', ids: reversed ? ids.toReversed() : ids, params: { reason: 'Season cut short' } },
    });
    const started = await Promise.all([startBulk(owner, cancel(false)), startBulk(owner, cancel(true))]);
    await Promise.all([runBulk(app), runBulk(app), runBulk(app)]);
    const items = (await Promise.all(started.map((operation) => bulkItems(owner, operation)))).flat();
    for (const id of ids) {
      const codes = items.filter(({ subjectId }) => subjectId === id).map(({ status, code }) => code ?? status);
      expect(codes.sort()).toEqual(['done', 'invalid_transition']);
      expect((await actionsAbout(id)).filter((action) => action === 'bookings.booking.cancel')).toHaveLength(1);
    }
  });

  it('ends after a pause of 30 days', async () => {
    const paused = await startBulk(owner, tagging(await customers(1)));
    expect((await owner.post(`${BULK}/${paused.id}/pause`)).status).toBe(200);
    const cancelPaused = () => asSystem(() => app.nest.get(BulkOperationsService, { strict: false }).cancelPaused());
    await cancelPaused();
    expect((await readBulk(owner, paused)).status).toBe('paused');
    await app.sql(`update bulk_operations set updated_at = updated_at - interval '31 days' where id = $1`, [paused.id]);
    await cancelPaused();
    expect(await readBulk(owner, paused)).toMatchObject({ status: 'cancelled', pending: 0, skipped: 1 });
  });

  it('forgets its parameters when the data of a person among its records is erased', async () => {
    const [id = ''] = await customers(1);
    const { operation } = await bulk(app, tagging([id, 'cus_01k0dem000e000000000000999']));
    const open = await startBulk(owner, tagging([id]));
    expect((await owner.post(`${BULK}/${open.id}/pause`)).status).toBe(200);
    const data = app.nest.get(DeskData, { strict: false });
    const person = { customerIds: [id], names: [], emails: [], bookings: [] };
    const held = await asSystem(() => data.collect(person));
    expect(held.filter(({ kind }) => kind.endsWith('bulk operations'))).toMatchObject([
      { kind: 'open bulk operations', keptUntil: expect.any(String), records: [{ type: 'customers.tag' }] },
      { kind: 'bulk operations', keptUntil: null, records: [{ params: { add: ['season-2027'] } }] },
    ]);
    await asSystem(() => app.nest.get(Database, { strict: false }).transaction(() => data.erase(person)));
    expect(await readBulk(owner, operation)).toMatchObject({ status: 'cancelled', params: {}, failed: 1 });
    expect(await readBulk(owner, open)).toMatchObject({ status: 'paused', params: { add: ['season-2027'] } });
  });

  it('is deleted 90 days after its end', async () => {
    const { operation } = await bulk(app, tagging(await customers(1)));
    const open = await startBulk(owner, tagging(await customers(1)));
    expect((await owner.post(`${BULK}/${open.id}/pause`)).status).toBe(200);
    const deleteOld = () => asSystem(() => app.nest.get(BulkOperationsService, { strict: false }).deleteOld());
    await deleteOld();
    expect((await owner.get(`${BULK}/${operation.id}`)).status).toBe(200);
    await app.sql(
      `update bulk_operations set created_at = created_at - interval '91 days', ended_at = ended_at - interval '91 days'`,
    );
    await deleteOld();
    expect((await owner.get(`${BULK}/${operation.id}`)).status).toBe(404);
    expect((await owner.get(`${BULK}/${open.id}`)).status).toBe(200);
    expect(await app.sql('select from bulk_operation_items where operation_id = $1', [operation.id])).toHaveLength(0);
  });
});
