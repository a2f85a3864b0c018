import { beforeAll, describe, expect, it } from '@jest/globals';
import { addItem, BOOKINGS, confirmedBooking, itemBody, problem, staffWith } from '../../bookings/bookings.js';
import { startApp, type TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { insertRates } from '../exchange-rates/rates.js';
import { newTaxCode } from '../../taxes/tax-codes.js';
import { makeTrip, MANUAL, TRIPS } from '../../trips/trips.js';
import { received } from '../payments/bookings.js';
import { recorded } from '../payments/payments.js';
import { schedulesOf, schedulesPath } from './plans.js';

const FINANCE = '/v1/admin/finance';
const SETTINGS = `${FINANCE}/settings`;

let app: TestApp;
let owner: TestClient;

beforeAll(async () => {
  app = await startApp({ env: { JOBS: 'false' } });
  owner = app.as('owner');
  await insertRates(app, ['XPF']);
});

const set = async (values: object) => {
  expect((await owner.put(SETTINGS, { baseCurrency: 'EUR', ...values })).status).toBe(200);
};

/** Creates a confirmed booking of 10000 and records a payment of `paidCents`. */
async function sold(paidCents: number): Promise<{ id: string; scheduleId: string }> {
  const { booking } = await confirmedBooking(owner, { booking: { startDate: app.day(5) } });
  await recorded(owner, received(booking.id, paidCents, { paidOn: app.day() }));
  const [installment] = await schedulesOf(owner, booking.id);
  return { id: booking.id, scheduleId: installment?.id ?? '' };
}

async function completed(): Promise<{ id: string; itemId: string }> {
  const { booking, item } = await confirmedBooking(owner, { booking: { startDate: app.day(-5) } });
  await recorded(owner, received(booking.id, 10_000, { paidOn: app.day() }));
  await app.sql(`update booking_items set status = 'fulfilled' where booking_id = $1`, [booking.id]);
  await app.sql(`update bookings set status = 'completed' where id = $1`, [booking.id]);
  return { id: booking.id, itemId: item.id };
}

const amounts = async (id: string) =>
  (await schedulesOf(owner, id)).map(({ status, amountCents, waived }) => [status, amountCents, waived]);

describe('a small difference', () => {
  const writeOff = (id: string, scheduleId: string, body: object = {}) =>
    owner.post(`${schedulesPath(id)}/${scheduleId}/small-difference`, body);

  it('the rest of a partly paid installment is waived up to the tolerance, and can be restored', async () => {
    const { id, scheduleId } = await sold(9_800);
    await set({ toleranceCents: 199 });
    const beyond = await writeOff(id, scheduleId);
    const details = { outstandingCents: 200, toleranceCents: 199 };
    expect([beyond.status, beyond.body]).toEqual([409, problem('beyond_tolerance', details)]);
    await set({ toleranceCents: 200 });
    const done = await writeOff(id, scheduleId, { reason: 'Bank charges' });
    expect([done.status, done.body]).toMatchObject([
      200,
      { data: { id: scheduleId, status: 'paid', amountCents: 9_800 } },
    ]);
    expect(await amounts(id)).toEqual([
      ['paid', 9_800, false],
      ['cancelled', 200, true],
    ]);
    const [, waived] = await schedulesOf(owner, id);
    expect(waived).toMatchObject({ label: 'Small difference', waiveReason: 'Bank charges' });
    const money = await owner.get<{ data: object }>(`${FINANCE}/bookings/${id}/money`);
    expect(money.body.data).toMatchObject({ claimCents: 9_800, outstandingCents: 0, balanceCents: 0 });
    const again = await writeOff(id, scheduleId);
    expect([again.status, again.body]).toEqual([409, problem('schedule_paid')]);

    const restored = await owner.patch(`${schedulesPath(id)}/${waived?.id ?? ''}`, { status: 'pending' });
    expect(restored.status).toBe(200);
    expect(await amounts(id)).toEqual([
      ['paid', 9_800, false],
      ['pending', 200, false],
    ]);
    expect((await owner.get<{ data: { conserved: boolean } }>(`${FINANCE}/integrity`)).body.data.conserved).toBe(true);
  });

  it('a small installment of which nothing is paid is waived itself; nothing is waived of a cancelled booking', async () => {
    const { id, scheduleId } = await sold(9_900);
    await set({ toleranceCents: 100 });
    expect((await writeOff(id, scheduleId)).status).toBe(200);
    const [, waived] = await schedulesOf(owner, id);
    await owner.patch(`${schedulesPath(id)}/${waived?.id ?? ''}`, { status: 'pending' });
    expect((await writeOff(id, waived?.id ?? '')).body).toMatchObject({ data: { status: 'cancelled', waived: true } });
    expect((await amounts(id)).length).toBe(2);

    const other = await sold(9_900);
    await owner.post(`${BOOKINGS}/${other.id}/cancellation`, { reason: 'Ill' });
    expect((await writeOff(other.id, other.scheduleId)).body).toMatchObject({ code: 'booking_closed' });
  });
});

describe('charges that become known after the trip', () => {
  it('an extra of a completed booking gets an installment and an invoice, and is paid as usual', async () => {
    const { id } = await completed();
    const extra = await addItem(owner, id, { type: 'extra', title: 'Minibar', unitSellCents: 4_200 });
    expect(await amounts(id)).toEqual([
      ['paid', 10_000, false],
      ['pending', 4_200, false],
    ]);
    const lines = [{ bookingItemId: extra.id, description: 'Minibar', unitPriceCents: 4_200 }];
    const draft = await owner.post<{ data: { id: string } }>(`${FINANCE}/invoices`, { bookingId: id, lines });
    expect([draft.status, draft.text]).toEqual([201, draft.text]);
    const issued = await owner.post(`${FINANCE}/invoices/${draft.body.data.id}/issuance`, {});
    expect(issued.status).toBe(200);
    await recorded(owner, received(id, 4_200, { paidOn: app.day() }));
    const money = await owner.get<{ data: object }>(`${FINANCE}/bookings/${id}/money`);
    expect(money.body.data).toMatchObject({ claimCents: 14_200, receivedCents: 14_200, balanceCents: 0 });
  });

  it('a charge can be corrected and cancelled; what was sold before cannot, nor is anything else sold', async () => {
    const { id, itemId } = await completed();
    const items = `${BOOKINGS}/${id}/items`;
    for (const type of ['fee', 'adjustment']) {
      const charge = await addItem(owner, id, { type, title: 'Cleaning', unitSellCents: 3_000 });
      expect((await owner.patch(`${items}/${charge.id}`, { unitSellCents: 2_500 })).status).toBe(200);
      expect((await owner.post(`${items}/${charge.id}/cancellation`, {})).status).toBe(200);
    }
    const closed = problem('booking_closed', { status: 'completed' });
    expect((await owner.post(items, itemBody({ type: 'unit' }))).body).toEqual(closed);
    expect((await owner.patch(`${items}/${itemId}`, { unitSellCents: 1 })).body).toEqual(closed);
    const clerk = await staffWith(app, 'bookings:write');
    const refused = await clerk.post(items, itemBody({ type: 'extra' }));
    expect([refused.status, refused.body]).toEqual([403, problem('forbidden', { requiredScope: 'bookings:override' })]);
  });
});

describe('sales without a tax code', () => {
  it('the fee of a cancelled booking is outside the scope of the tax, apart from other sales without a code', async () => {
    const currency = 'XPF';
    const bookings = await Promise.all(
      [1, 2].map(async () => (await confirmedBooking(owner, { booking: { currency } })).booking.id),
    );
    for (const [index, id] of bookings.entries()) {
      if (index === 0) await owner.post(`${BOOKINGS}/${id}/cancellation`, { reason: 'Ill' });
      const settled = { agreedFeeCents: 500, feeReason: 'Agreed' };
      if (index === 0) await owner.post(`${FINANCE}/bookings/${id}/cancellation-settlement`, settled);
      else {
        const draft = await owner.post<{ data: { id: string } }>(`${FINANCE}/invoices`, { bookingId: id });
        await owner.post(`${FINANCE}/invoices/${draft.body.data.id}/issuance`, {});
      }
    }
    type Report = { data: { group: string; taxKind: string | null; grossCents: number }[] };
    const { body } = await owner.get<Report>(`${FINANCE}/reports/vat?currency=${currency}&side=output`);
    expect(body.data.map(({ taxKind, grossCents }) => [taxKind, grossCents])).toEqual([
      ['outside_scope', 500],
      [null, 10_000],
    ]);
    for (const { group, grossCents } of body.data) {
      const path = `${FINANCE}/reports/vat/documents?currency=${currency}&group=${group}`;
      expect((await owner.get<Report>(path)).body.data).toMatchObject([{ grossCents }]);
    }
  });

  it('the fee for a cancelled item is outside the scope too, on one line of its invoice and in parts of it', async () => {
    const { booking, item } = await confirmedBooking(owner, { booking: { startDate: app.day(100) } });
    await addItem(owner, booking.id, { unitSellCents: 9_000, taxIncludedCents: 900 });
    const cancelled = await owner.post(`${BOOKINGS}/${booking.id}/items/${item.id}/cancellation`, {});
    expect(cancelled.status).toBe(200);
    // Charges the fee as the terms of a policy would.
    const fee = await addItem(owner, booking.id, { type: 'fee', unitSellCents: 3_000 });
    await app.sql('update booking_items set fee_of_item_id = $2 where id = $1', [fee.id, item.id]);
    const linesOf = async (body: object) => {
      const draft = await owner.post<{ data: { id: string; lines: Record<string, unknown>[] } }>(
        `${FINANCE}/invoices`,
        {
          bookingId: booking.id,
          ...body,
        },
      );
      expect([draft.status, draft.text]).toEqual([201, draft.text]);
      return draft.body.data.lines.map(({ taxKind, totalCents, taxCents }) => [taxKind, totalCents, taxCents]);
    };
    expect(await linesOf({})).toEqual([
      [null, 9_000, 900],
      ['outside_scope', 3_000, 0],
    ]);
    const installments = await schedulesOf(owner, booking.id);
    const open = installments.filter(({ status }) => status === 'pending');
    for (const { id: scheduleId, amountCents } of open) {
      const feeCents = amountCents / 4;
      expect(await linesOf({ scheduleId })).toEqual([
        [null, amountCents - feeCents, (900 * amountCents) / 12_000],
        ['outside_scope', feeCents, 0],
      ]);
    }
    expect(open.length).toBeGreaterThan(0);

    // Once a line has billed the fee, the rest is only for the other item.
    const billed = await owner.post<{ data: { id: string } }>(`${FINANCE}/invoices`, {
      bookingId: booking.id,
      lines: [{ bookingItemId: fee.id, description: 'Fee', priceBasis: 'gross', unitPriceCents: 3_000 }],
    });
    expect((await owner.post(`${FINANCE}/invoices/${billed.body.data.id}/issuance`, {})).status).toBe(200);
    expect(await linesOf({})).toEqual([[null, 9_000, 900]]);
    const note = await owner.post<{ data: { id: string } }>(`${FINANCE}/credit-notes`, {
      invoiceId: billed.body.data.id,
      reason: 'correction',
      reasonText: 'Billed too early',
      lines: [{ linePosition: 1, amountCents: 1_000 }],
    });
    expect([note.status, note.text]).toEqual([201, note.text]);
    expect((await owner.post(`${FINANCE}/credit-notes/${note.body.data.id}/issuance`, {})).status).toBe(200);
    expect(await linesOf({})).toEqual([
      [null, 9_000, 900],
      ['outside_scope', 1_000, 0],
    ]);
  });

  it('with the setting taxCodesRequired, staff add and change items with a tax code only', async () => {
    const { booking, item } = await confirmedBooking(owner);
    const { id: taxCodeId } = await newTaxCode(owner, { code: 'ALWAYS' });
    await set({ taxCodesRequired: true });
    const items = `${BOOKINGS}/${booking.id}/items`;
    const rejected = await owner.post(items, itemBody());
    expect([rejected.status, rejected.body]).toEqual([400, problem('tax_code_required', { field: 'taxCodeId' })]);
    const coded = await addItem(owner, booking.id, { taxCodeId });
    expect((await owner.patch(`${items}/${coded.id}`, { taxCodeId: null })).body).toMatchObject({
      code: 'tax_code_required',
    });
    expect((await owner.patch(`${items}/${item.id}`, { unitSellCents: 9_000 })).status).toBe(200);
    await set({});
    expect((await owner.post(items, itemBody())).status).toBe(201);
  });

  it('with the setting taxCodesRequired, lines of invoices and components of trips need a tax code too', async () => {
    const { booking, item } = await confirmedBooking(owner);
    const { id: taxCodeId } = await newTaxCode(owner);
    const drafted = (line: object) =>
      owner.post(`${FINANCE}/invoices`, {
        bookingId: booking.id,
        lines: [{ description: 'Deposit', unitPriceCents: 1_000, priceBasis: 'gross', ...line }],
      });
    const trip = await makeTrip(owner, [MANUAL]);
    const components = `${TRIPS}/${trip.envelopeId}/components`;
    await set({ taxCodesRequired: true });
    const rejected = await drafted({});
    expect([rejected.status, rejected.body]).toEqual([
      400,
      problem('tax_code_required', { field: 'lines.0.taxCodeId' }),
    ]);
    expect((await drafted({ bookingItemId: item.id })).status).toBe(201);
    expect((await drafted({ taxCodeId })).status).toBe(201);

    const component = await owner.post(components, MANUAL);
    expect([component.status, component.body]).toEqual([400, problem('tax_code_required', { field: 'taxCodeId' })]);
    const { status, body } = await owner.post<{ data: { componentId: string } }>(components, { ...MANUAL, taxCodeId });
    expect(status).toBe(201);
    expect((await owner.patch(`${components}/${body.data.componentId}`, { taxCodeId: null })).body).toMatchObject({
      code: 'tax_code_required',
    });
    expect((await owner.post(`${TRIPS}/${trip.envelopeId}/pricing`)).status).toBe(200);
    expect(await owner.post(`${TRIPS}/${trip.envelopeId}/reserve`)).toMatchObject({
      status: 409,
      body: { code: 'tax_code_required', details: { componentIds: [expect.stringMatching(/^tcmp_/)] } },
    });
    await set({});
  });
});
