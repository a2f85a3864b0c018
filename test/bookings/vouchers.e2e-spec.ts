import { beforeAll, describe, expect, it } from '@jest/globals';
import { fetchFile } from '../finance/renditions/rendering.js';
import { hire } from '../identity/staff.js';
import { recorded } from '../finance/payments/payments.js';
import { callOff, ended, runCallOffs } from '../desk/call-offs/call-offs.js';
import { DEPARTURES, newDeparture } from '../operations/departures.js';
import { newFacility } from '../operations/facilities.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { tokenOf } from '../setup/credentials.js';
import { pagesOf } from '../setup/pdf.js';
import {
  addItem,
  BOOKINGS,
  confirmedBooking,
  entriesAbout,
  insisting,
  type One,
  problem,
  staffWith,
} from './bookings.js';
import { addTraveler, assign, travelersOf } from './travelers.js';
import { listed, onlyVoucher, REDEMPTIONS, sold, type Voucher, vouchersOf } from './vouchers.js';

let app: TestApp;
let owner: TestClient;
beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
});

const refused = (status: number, code: string, details?: object) => ({
  status,
  body: expect.objectContaining(problem(code, details)),
});
const issue = (bookingId: string, body: object = {}) => owner.post<{ data: Voucher[] }>(vouchersOf(bookingId), body);
const redeem = (body: object, client = owner) =>
  client.post<One<{ voucherId: string; people: number; redeemedAt: string }>>(REDEMPTIONS, body);
const cancelItem = (bookingId: string, itemId: string) =>
  owner.post(`${BOOKINGS}/${bookingId}/items/${itemId}/cancellation`);
const arrivals = async (departureId: string): Promise<string[]> => {
  interface Manifest {
    people: { checkIn: { state: string } }[];
  }
  const { body } = await owner.get<One<Manifest>>(`${DEPARTURES}/${departureId}/manifest`);
  return body.data.people.map(({ checkIn }) => checkIn.state);
};
const LATER = { startsAt: '2127-05-20T06:00:00Z', endsAt: '2127-05-20T15:00:00Z' };
const targets = (vouchers: Voucher[]) => vouchers.map(({ travelerId, status }) => [travelerId, status]);

describe('issuing vouchers', () => {
  it('the confirmation issues a voucher for each traveler of a unit, and one for an item with guests', async () => {
    const draft = await sold(app, { isConfirmed: false });
    expect(await listed(app, draft.bookingId)).toEqual([]);
    expect(await issue(draft.bookingId)).toMatchObject(refused(409, 'booking_not_confirmed', { status: 'draft' }));

    const named = await sold(app, { people: 2 });
    const guests = await sold(app, { people: 3, named: 2 });

    const vouchers = await listed(app, named.bookingId);
    expect(targets(vouchers)).toEqual(named.travelers.map(({ id }) => [id, 'issued']));
    expect(vouchers[0]?.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{13}$/);
    expect(vouchers[0]?.code).not.toBe(vouchers[1]?.code);
    expect(targets(await listed(app, guests.bookingId))).toEqual([[null, 'issued']]);
    const again = await issue(named.bookingId);
    expect([again.status, again.body.data.map(({ id }) => id)]).toEqual([200, vouchers.map(({ id }) => id)]);
  });

  it('a product with the rule when_paid has its vouchers when the last installment is paid, and none before', async () => {
    const { bookingId } = await sold(app, { rule: 'when_paid' });
    expect(await listed(app, bookingId)).toEqual([]);
    expect(await issue(bookingId)).toMatchObject(refused(409, 'balance_outstanding'));
    const payment = { bookingId, currency: 'EUR', method: 'bank_transfer', paidOn: app.day() };

    await recorded(owner, { ...payment, amountCents: 5_900 });
    expect(await listed(app, bookingId)).toEqual([]);
    await recorded(owner, { ...payment, amountCents: 5_900 });

    expect(await listed(app, bookingId)).toMatchObject([{ status: 'issued' }, { status: 'issued' }]);
  });

  it('items of a product with the rule never, and items without a product, have vouchers only by hand', async () => {
    const { bookingId, item } = await sold(app, { rule: 'never' });
    const other = await confirmedBooking(owner, { item: { type: 'extra', title: 'Snowshoes' } });
    expect([await listed(app, bookingId), await listed(app, other.booking.id)]).toEqual([[], []]);
    expect((await issue(bookingId)).body).toEqual({ data: [] });

    const byHand = await issue(bookingId, { itemIds: [item.id] });
    const ofOther = await issue(other.booking.id, { itemIds: [other.item.id] });

    expect(byHand.body.data).toHaveLength(2);
    expect(ofOther.body.data).toMatchObject([{ itemId: other.item.id, travelerId: null }]);
  });

  it('an item that is cancelled, of another booking or no service has no voucher', async () => {
    const { booking, item } = await confirmedBooking(owner);
    const fee = await addItem(owner, booking.id, { type: 'fee' });
    const elsewhere = await confirmedBooking(owner);
    await cancelItem(booking.id, item.id);
    const issued = (id: string) => issue(booking.id, { itemIds: [id] });

    expect(await issued(item.id)).toMatchObject(refused(409, 'booking_item_cancelled', { field: 'itemIds.0' }));
    expect(await issued(fee.id)).toMatchObject(refused(422, 'voucher_not_applicable', { field: 'itemIds.0' }));
    expect(await issued(elsewhere.item.id)).toMatchObject(refused(404, 'not_found', { field: 'itemIds.0' }));
  });

  it('units that are added to a confirmed booking have their vouchers at once', async () => {
    const sale = await sold(app, { people: 1 });
    const traveler = await addTraveler(owner, sale.bookingId);
    const { unitId } = (await owner.get<One<{ unitId: string }>>(`${BOOKINGS}/${sale.bookingId}/items/${sale.item.id}`))
      .body.data;
    const units = [{ unitId, quantity: 1, travelerIds: [traveler.id] }];
    await owner.post(`${BOOKINGS}/${sale.bookingId}/items`, { departureId: sale.departureId, units });
    expect(targets(await listed(app, sale.bookingId))).toEqual([
      [sale.travelers[0]?.id, 'issued'],
      [traveler.id, 'issued'],
    ]);
  });

  it('units whose price earlier money covers get the vouchers of their travelers, too', async () => {
    const { bookingId, item, departureId, travelers } = await sold(app, { people: 1 });
    const payment = { bookingId, currency: 'EUR', method: 'bank_transfer', paidOn: app.day() };
    await recorded(owner, { ...payment, amountCents: 11_800 });
    const { unitId } = (await owner.get<One<{ unitId: string }>>(`${BOOKINGS}/${bookingId}/items/${item.id}`)).body
      .data;
    const traveler = await addTraveler(owner, bookingId);
    const units = [{ unitId, quantity: 1, travelerIds: [traveler.id] }];
    const added = await insisting(() => owner.post(`${BOOKINGS}/${bookingId}/items`, { departureId, units }));
    expect(added.status).toBe(201);
    expect(targets(await listed(app, bookingId))).toEqual([
      [travelers[0]?.id, 'issued'],
      [traveler.id, 'issued'],
    ]);
  });
});

describe('vouchers follow their booking', () => {
  it('a traveler who loses the seat or is removed loses the voucher, and the one who takes the seat gets one', async () => {
    const { bookingId, item, travelers } = await sold(app);
    const [first, second] = travelers.map(({ id }) => id);
    const third = await addTraveler(owner, bookingId);
    await assign(owner, item, [first ?? '', third.id]);
    expect(targets(await listed(app, bookingId))).toEqual([
      [first, 'issued'],
      [second, 'void'],
      [third.id, 'issued'],
    ]);

    await assign(owner, item, [first ?? '', second ?? '']);
    expect((await owner.delete(`${travelersOf(bookingId)}/${first}`)).status).toBe(200);

    expect(await listed(app, bookingId)).toMatchObject([
      { travelerId: first, status: 'void', voidCause: 'seat_lost', voidReason: null },
      { travelerId: second, status: 'issued', voidCause: null },
      { travelerId: third.id, status: 'void', voidCause: 'seat_lost' },
    ]);
  });

  it('a traveler who takes the only seat back has the printed voucher again', async () => {
    const { sale, voucher } = await onlyVoucher(app);
    await assign(owner, sale.item, []);
    expect(targets(await listed(app, sale.bookingId))).toEqual([[voucher.travelerId, 'void']]);
    await assign(owner, sale.item, [voucher.travelerId ?? '']);
    expect(await listed(app, sale.bookingId)).toMatchObject([{ id: voucher.id, code: voucher.code, status: 'issued' }]);
  });

  it('vouchers that staff voided are not replaced by one for the item when seats or people change', async () => {
    const { bookingId, item, travelers } = await sold(app);
    for (const { id } of await listed(app, bookingId)) {
      expect((await owner.post(`${vouchersOf(bookingId)}/${id}/voiding`, { reason: 'Stolen' })).status).toBe(200);
    }
    await assign(owner, item, [travelers[0]?.id ?? '']);
    const more = await insisting(() => owner.patch(`${BOOKINGS}/${bookingId}/items/${item.id}`, { quantity: 3 }));
    expect([more.status, more.text]).toEqual([200, more.text]);
    expect((await listed(app, bookingId)).map(({ status }) => status)).toEqual(['void', 'void']);
  });

  it('a redeemed voucher of an item that a call-off moves can be redeemed again on the other departure', async () => {
    const { bookingId, departureId, productId } = await sold(app, { people: 1 });
    const target = await newDeparture(app, { productId, ...LATER });
    const [voucher] = await listed(app, bookingId);
    expect((await redeem({ code: voucher?.code, departureId })).status).toBe(200);
    const started = await callOff(owner, departureId, {
      default: { action: 'move', targetDepartureId: target.id },
    });
    await runCallOffs(app);
    expect(await ended(owner, started)).toMatchObject({ status: 'completed', done: 1 });
    expect(await listed(app, bookingId)).toMatchObject([{ id: voucher?.id, status: 'issued', redeemedAt: null }]);
    expect((await redeem({ code: voucher?.code, departureId: target.id })).status).toBe(200);
  });

  it('a cancelled item or booking voids its vouchers, and a reinstated one takes them back with their codes', async () => {
    const { bookingId, item } = await sold(app);
    const before = await listed(app, bookingId);
    const [voucher] = before;
    expect((await redeem({ code: before[1]?.code })).status).toBe(200);

    await cancelItem(bookingId, item.id);
    expect(await listed(app, bookingId, '?status=void')).toMatchObject([
      { id: voucher?.id, voidCause: 'item_cancelled' },
      { id: before[1]?.id, voidCause: 'item_cancelled' },
    ]);
    expect(await redeem({ code: voucher?.code })).toMatchObject(
      refused(409, 'voucher_void', { voucherId: voucher?.id, cause: 'item_cancelled', at: expect.any(String) }),
    );
    await owner.post(`${BOOKINGS}/${bookingId}/items/${item.id}/reinstatement`, { reason: 'By mistake' });
    await owner.post(`${BOOKINGS}/${bookingId}/cancellation`, { reason: 'Illness' });
    expect((await listed(app, bookingId)).map(({ status }) => status)).toEqual(['void', 'void']);
    await owner.post(`${BOOKINGS}/${bookingId}/reinstatement`, { reason: 'By mistake' });

    expect(await listed(app, bookingId)).toMatchObject([
      { id: voucher?.id, code: voucher?.code, status: 'issued', voidedAt: null },
      { id: before[1]?.id, code: before[1]?.code, status: 'redeemed', voidedAt: null },
    ]);
  });

  it('a voucher that staff voided comes back only by their hand, and its reason is in the ledger', async () => {
    const { sale, voucher } = await onlyVoucher(app);
    const path = `${vouchersOf(sale.bookingId)}/${voucher.id}`;
    expect(await owner.post(`${path}/voiding`, { reason: 'Lost' }, { headers: { 'If-Match': '"9"' } })).toMatchObject({
      status: 412,
    });
    const voided = await owner.post<One<Voucher>>(`${path}/voiding`, { reason: 'Lost' });
    expect(voided.body.data).toMatchObject({ status: 'void', voidCause: 'staff', voidReason: 'Lost' });
    expect(await owner.post(`${path}/voiding`, { reason: 'Lost' })).toMatchObject(refused(409, 'voucher_void'));
    await addTraveler(owner, sale.bookingId);
    expect(await listed(app, sale.bookingId)).toHaveLength(1);

    const [replacement] = (await issue(sale.bookingId)).body.data;
    expect(await owner.post(`${path}/reinstatement`, { reason: 'Found' })).toMatchObject(
      refused(409, 'voucher_replaced', { voucherId: replacement?.id }),
    );
    await owner.post(`${vouchersOf(sale.bookingId)}/${replacement?.id}/voiding`, { reason: 'Found' });
    expect(await owner.post(`${path}/reinstatement`, { reason: 'Found' })).toMatchObject({
      status: 200,
      body: { data: { status: 'issued', code: voucher.code } },
    });

    const entries = await entriesAbout(owner, voucher.id);
    expect(entries.map(({ action, reason }) => [action, reason])).toEqual([
      ['bookings.voucher.issue', null],
      ['bookings.voucher.void', 'Lost'],
      ['bookings.voucher.reinstate', 'Found'],
    ]);
    expect(JSON.stringify(entries)).not.toContain(voucher.code);
  });
});

describe('redeeming vouchers', () => {
  it('a code is accepted as people type it, once, and checks its traveler in', async () => {
    const { bookingId, departureId } = await sold(app);
    const [one, two] = await listed(app, bookingId);
    const typed = ` ${one?.code
      .toLowerCase()
      .replace(/0/g, 'o')
      .replace(/1/g, 'l')
      .replace(/(.{4})/g, '$1-')} `;
    const before = app.now().toISOString();

    const answer = await redeem({ code: typed, departureId });

    expect(answer).toMatchObject({ status: 200, body: { data: { voucherId: one?.id, departureId, people: 1 } } });
    const at = answer.body.data.redeemedAt;
    expect(at >= before).toBe(true);
    expect(await redeem({ code: one?.code })).toMatchObject(
      refused(409, 'already_redeemed', { voucherId: one?.id, at }),
    );
    expect((await arrivals(departureId)).sort()).toEqual(['arrived', 'none']);
    const path = `${vouchersOf(bookingId)}/${one?.id}/voiding`;
    expect(await owner.post(path, { reason: 'Lost' })).toMatchObject(refused(409, 'already_redeemed'));
    expect((await listed(app, bookingId)).find(({ id }) => id === two?.id)).toMatchObject({ status: 'issued' });
  });

  it('a voucher of an item admits all of its people, and none on another departure', async () => {
    const { bookingId, departureId } = await sold(app, { people: 3, named: 1 });
    const [voucher] = await listed(app, bookingId);
    const other = await newDeparture(app);
    expect(await redeem({ code: voucher?.code, departureId: other.id })).toMatchObject(
      refused(409, 'voucher_other_departure', { voucherId: voucher?.id, departureId }),
    );
    expect(await arrivals(departureId)).toEqual(['none', 'none', 'none']);

    expect((await redeem({ code: voucher?.code })).body.data.people).toBe(3);

    expect(await arrivals(departureId)).toEqual(['arrived', 'arrived', 'arrived']);
  });

  it('of several redemptions at once exactly one is accepted, also beside the cancellation of the item', async () => {
    const { bookingId, departureId } = await sold(app, { people: 1 });
    const [voucher] = await listed(app, bookingId);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => insisting(() => redeem({ code: voucher?.code, departureId }))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);

    const second = await sold(app, { people: 1 });
    const [its] = await listed(app, second.bookingId);
    const [redeemed] = await Promise.all([
      insisting(() => redeem({ code: its?.code })),
      insisting(() => cancelItem(second.bookingId, second.item.id)),
    ]);
    expect([200, 409]).toContain(redeemed.status);
    expect(await listed(app, second.bookingId)).toMatchObject([{ status: 'void' }]);
  });

  it('a redemption by mistake is deleted with its own scope, and its people are not checked in any more', async () => {
    const { bookingId, departureId } = await sold(app, { people: 1 });
    const [voucher] = await listed(app, bookingId);
    const guide = await staffWith(app, 'operations:write');
    expect((await redeem({ code: voucher?.code }, guide)).status).toBe(200);
    const path = `${REDEMPTIONS}/${voucher?.id}`;
    expect(await guide.delete(path)).toMatchObject({ status: 403 });

    expect(await owner.delete(path)).toMatchObject({ status: 200, body: { data: { redeemedAt: null } } });

    expect(await owner.delete(path)).toMatchObject(refused(409, 'invalid_transition'));
    expect(await arrivals(departureId)).toEqual(['none']);
    expect((await redeem({ code: voucher?.code })).status).toBe(200);
  });

  it('unknown and mistyped codes are 404, and after 60 of them a caller must wait, even with a valid code', async () => {
    const { voucher } = await onlyVoucher(app);
    const { client: guide } = await hire(app, ['operations']);
    const guesses = await Promise.all(
      Array.from({ length: 60 }, (_, index) => redeem({ code: index % 2 ? '0000-0000-0000-0' : 'guess' }, guide)),
    );
    expect(guesses.every(({ status }) => status === 404)).toBe(true);
    expect(guesses[0]).toMatchObject(refused(404, 'not_found', { field: 'code' }));

    expect(await redeem({ code: voucher.code }, guide)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect((await redeem({ code: voucher.code })).status).toBe(200);
  });
});

describe('printed vouchers', () => {
  const printed = async (path: string): Promise<string> => {
    const file = await fetchFile(`${app.url}${path}`, { authorization: `Bearer ${tokenOf(app.credentials, 'owner')}` });
    expect([file.status, file.headers['content-type']]).toEqual([200, 'application/pdf']);
    return withoutBlanks((await pagesOf(file.bytes)).join(''));
  };
  /** The words of a PDF are pieces that end where a line may be broken. */
  const withoutBlanks = (text: string) => text.replace(/\s/g, '');
  const documentOf = (bookingId: string) => `${BOOKINGS}/${bookingId}/voucher-document`;
  const grouped = (code = '') => code.replace(/(.{4})(?=.)/g, '$1-');

  it('the document has the valid vouchers with their codes, in the language of the customer, and a name is only text', async () => {
    const { id: facilityId } = await newFacility(app, {
      ...{ name: 'Hafen Tulcea', kind: 'marina' },
      address: { line1: 'Strada Portului 2', postalCode: '820001', city: 'Tulcea', country: 'RO' },
    });
    const { bookingId, travelers } = await sold(app, {
      booking: { customerLanguage: 'de' },
      product: { texts: [{ locale: 'de', title: 'Donaudelta mit dem Boot' }] },
      departure: { facilityId, startsAt: '2127-05-12T06:00:00Z', endsAt: '2127-05-12T15:00:00Z' },
    });
    await owner.patch(`${travelersOf(bookingId)}/${travelers[0]?.id}`, { firstName: '<script>alert(1)</script>' });
    const [first, second] = await listed(app, bookingId);
    await owner.post(`${vouchersOf(bookingId)}/${second?.id}/voiding`, { reason: 'Lost' });

    const text = await printed(documentOf(bookingId));

    for (const part of [
      ...['Donaudelta mit dem Boot', 'Treffpunkt:', 'Hafen Tulcea', 'Strada Portului 2, 820001 Tulcea', '12. Mai 2127'],
      ...['09:00', '(Europe/Bucharest)', '<script>alert(1)</script> Ionescu', grouped(first?.code)],
    ]) {
      expect(text).toContain(withoutBlanks(part));
    }
    expect(text).not.toContain(grouped(second?.code));
    const one = `${vouchersOf(bookingId)}/${second?.id}/document`;
    expect(await owner.get(one)).toMatchObject({ status: 409, body: { code: 'voucher_void' } });
  });

  it('the voucher of a moved departure shows the new time, and it names the company and all people of an item', async () => {
    const profile = '/v1/admin/organization/profile';
    const { tradeName, emergencyPhone } = (await owner.get<One<Record<string, string | null>>>(profile)).body.data;
    await owner.patch(profile, { tradeName: 'Delta Tours & Söhne', emergencyPhone: '+40 240 555 099' });
    const { bookingId, departureId } = await sold(app, { people: 3, named: 1 });
    const [voucher] = await listed(app, bookingId);
    const path = `${vouchersOf(bookingId)}/${voucher?.id}/document`;
    expect(await printed(path)).toContain('May12,2127');

    const moved = { startsAt: '2127-05-13T08:30:00Z', endsAt: '2127-05-13T16:00:00Z' };
    expect((await owner.patch(`${DEPARTURES}/${departureId}`, moved)).status).toBe(200);

    const text = await printed(path);
    await owner.patch(profile, { tradeName, emergencyPhone });
    for (const part of [
      ...['May 13, 2127', '11:30', 'Delta Tours & Söhne', '+40 240 555 099', 'Ana 1 Ionescu', '2 guests'],
    ]) {
      expect(text).toContain(withoutBlanks(part));
    }
    expect(text).not.toContain('May12,2127');
    const { bookingId: without } = await sold(app, { rule: 'never' });
    expect(await owner.get(documentOf(without))).toMatchObject(refused(409, 'no_valid_voucher'));
  });
});
