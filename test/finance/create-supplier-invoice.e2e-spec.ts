/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { body, entriesOf, type Envelope, eventsOf, invalid, make, PATH, problem, staffWith } from './invoices.js';

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

describe('POST /v1/admin/finance/supplier-invoices', () => {
  it('a new supplier invoice is answered with 201, all its members, Location and ETag', async () => {
    const sent = body({ supplierName: '  Hotel   Aurora ', dueDate: '2027-02-14', baseCurrency: 'EUR' });

    const { status, body: answer, headers } = await owner.post<Envelope>(PATH, sent);

    expect(status).toBe(201);
    expect(answer).toEqual({
      data: {
        id: expect.stringMatching(/^sinv_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
        supplierName: 'Hotel   Aurora',
        invoiceNumber: sent['invoiceNumber'],
        currency: 'EUR',
        baseCurrency: 'EUR',
        totalCents: 11_900,
        status: 'draft',
        issueDate: '2027-01-15',
        dueDate: '2027-02-14',
        subtotalCents: 11_900,
        taxCents: 0,
        exchangeRate: '1',
        appliedRate: null,
        baseTotalCents: 11_900,
        baseSubtotalCents: 11_900,
        baseTaxCents: 0,
        paidCents: 0,
        balanceCents: 11_900,
        settlementStatus: 'unpaid',
        overdue: expect.any(Boolean),
        notes: null,
        approvedAt: null,
        approvedBy: null,
        voidedAt: null,
        postingDate: null,
        voidedOn: null,
        voidReason: null,
        warnings: [],
        version: 1,
        createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
        updatedAt: expect.stringMatching(/Z$/),
        lines: [],
      },
    });
    expect(headers['location']).toBe(`${PATH}/${answer.data.id}`);
    expect(headers['etag']).toBe('"1"');
    expect((await owner.get(`${PATH}/${answer.data.id}`)).body).toEqual(answer);
  });

  it('the largest total is 2^53-1', async () => {
    const { body: answer } = await owner.post<Envelope>(PATH, body({ totalCents: Number.MAX_SAFE_INTEGER }));
    const read = await owner.get<Envelope>(`${PATH}/${answer.data.id}`);
    expect(read.body.data.totalCents).toBe(9_007_199_254_740_991);

    const sent = JSON.stringify(body()).replace('11900', '9007199254740993');
    const beyond = await owner.post(PATH, undefined, { raw: sent, headers: { 'Content-Type': 'application/json' } });
    expect(beyond.status).toBe(400);
  });

  it('an id in the body is ignored', async () => {
    const id = 'sinv_01k0dem000e000000000000001';
    expect((await make(owner, { id })).id).not.toBe(id);
    expect((await make(owner, { id: { any: 'thing' } })).id).toMatch(/^sinv_/);
  });

  it('an invalid body is rejected with 400 and its issues, and nothing is created', async () => {
    const sent = body({ currency: 'EURO' });
    const { status, body: answer } = await owner.post(PATH, sent);
    expect([status, answer]).toEqual([400, invalid('currency', 'wrong_format')]);
    const stored = 'select from supplier_invoices where invoice_number = $1';
    expect(await app.sql(stored, [sent['invoiceNumber']])).toEqual([]);
  });

  it.each([
    ['dueDate', '2027-01-14', 'due_before_issue'],
    ['exchangeRate', '1.5', 'base_currency_required'],
  ])('%s %j is rejected with 400 and the code %s', async (field, value, code) => {
    const { status, body: answer } = await owner.post(PATH, body({ [field]: value }));
    expect([status, answer]).toEqual([400, invalid(field, code)]);
  });

  it('creating a supplier invoice needs finance:write', async () => {
    const reader = await staffWith(app, 'finance:read', 'finance:approve');
    const { status, body: answer } = await reader.post(PATH, body());
    expect(status).toBe(403);
    expect(answer).toEqual(problem('forbidden', { requiredScope: 'finance:write' }));
  });

  it('two requests with the same Idempotency-Key create one supplier invoice', async () => {
    const [sent, call] = [body(), { headers: { 'Idempotency-Key': 'supplier-invoice-1' } }];
    const [first, again] = [await owner.post(PATH, sent, call), await owner.post(PATH, sent, call)];
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(again.headers['location']).toBe(first.headers['location']);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });

  it('a new supplier invoice is recorded and published', async () => {
    const { id, ...invoice } = await make(owner, { lines: [{ description: 'Bus', unitAmountCents: 11_900 }] });
    const [entry, ...more] = await entriesOf(owner, id);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ action: 'finance.supplier_invoice.create', before: null });
    expect(entry?.after).toMatchObject({ id, totalCents: 11_900, status: 'draft', lines: invoice.lines });
    expect(await eventsOf(app, id, 1)).toEqual(['supplier_invoice.created']);
  });
});

describe('a status on create', () => {
  it('a supplier invoice can be created as a draft', async () =>
    expect((await make(owner, { status: 'draft' })).status).toBe('draft'));

  it('the status approved creates and approves, with both entries and both events', async () => {
    const made = await make(owner, { status: 'approved' });
    expect(made).toMatchObject({ status: 'approved', approvedAt: made['createdAt'], version: 1 });
    expect(made['approvedBy']).toMatch(/^user_/);
    const actions = (await entriesOf(owner, made.id)).map(({ action, after }) => [action, after?.status]);
    expect(actions).toEqual([
      ['finance.supplier_invoice.create', 'draft'],
      ['finance.supplier_invoice.approve', 'approved'],
    ]);
    const events = ['supplier_invoice.created', 'supplier_invoice.approved'];
    expect(await eventsOf(app, made.id, 2)).toEqual(events);
  });

  it('the status approved without finance:approve is 403, and nothing is created', async () => {
    const writer = await staffWith(app, 'finance:*');
    const sent = body({ status: 'approved' });
    const { status, body: answer } = await writer.post(PATH, sent);
    expect(status).toBe(403);
    expect(answer).toEqual(problem('forbidden', { requiredScope: 'finance:approve' }));
    expect((await writer.post(PATH, { ...sent, status: 'draft' })).status).toBe(201);
  });

  it('a replay of an approved creation needs finance:approve', async () => {
    // Uses two tokens of one person, because keys belong to the person.
    const approver = await staffWith(app, 'finance:*', 'finance:approve');
    const writer = await staffWith(app, 'finance:*');
    const sent = body({ status: 'approved' });
    const headers = { 'Idempotency-Key': `approved-${String(sent['invoiceNumber'])}` };
    const first = await approver.post<Envelope>(PATH, sent, { headers });
    expect(first.status).toBe(201);

    const rejected = await writer.post(PATH, sent, { headers });
    expect([rejected.status, rejected.body]).toEqual([403, problem('forbidden', { requiredScope: 'finance:approve' })]);
    expect(rejected.headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="finance:approve"');
    const replayed = await approver.post(PATH, sent, { headers });
    expect([replayed.status, replayed.body]).toEqual([201, first.body]);
    expect(replayed.headers['idempotent-replayed']).toBe('true');
  });

  it.each(['paid', 'void'])('the status %s is rejected with 422', async (status) => {
    const rejected = await owner.post(PATH, body({ status }));
    expect(rejected.status).toBe(422);
    expect(rejected.body).toEqual(problem('invalid_initial_status', { field: 'status' }));
  });
});
