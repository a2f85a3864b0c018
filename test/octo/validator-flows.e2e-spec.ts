import { expect, it } from '@jest/globals';
import { startApp } from '../setup/app.js';
import { BOOKINGS, must, type OctoBooking, reserve } from './orders.js';
import { newShop, PRICING } from './shop.js';

interface Option {
  id: string;
  restrictions: { minUnits: unknown };
  units: { id: string; requiredContactFields: string[]; restrictions: { minAge: unknown; maxAge: unknown } }[];
}

/** What the official validator expects of a supplier beyond the schemas: it books one departure again and again. */
it('the flows of the official validator succeed on one departure, with and without amounts', async () => {
  const app = await startApp();
  const names = { requiredTravelerFields: ['firstName', 'lastName'], requiredContactFields: ['email'] };
  const shop = await newShop(app, {}, { product: names, departure: { capacity: 60 } });
  const { reseller, productId, optionId, departureId, adult } = shop;
  const { body: product } = await reseller.get<{ options: Option[] }>(`/octo/products/${productId}`);
  for (const { restrictions, units } of product.options) {
    const bounds = [
      restrictions.minUnits,
      ...units.flatMap((unit) => [unit.restrictions.minAge, unit.restrictions.maxAge]),
    ];
    expect(bounds.every(Number.isInteger)).toBe(true);
    expect(units[0]?.requiredContactFields).toEqual(['firstName', 'lastName']);
  }
  const contact = { fullName: 'Ana Pop' };
  const unitItems = [{ unitId: adult, contact }];
  for (const options of [{}, PRICING]) {
    for (let booking = 0; booking < 7; booking += 1) {
      const call = async (verb: string, body: object) =>
        must(await reseller.post<OctoBooking>(`${BOOKINGS}/${uuid}/${verb}/`, body, options));
      const held = await reserve(shop, [], { unitItems, notes: 'Hello', resellerReference: `R${booking}` }, options);
      const { uuid } = held;
      expect(held).toMatchObject({
        notes: 'Hello',
        resellerReference: `R${booking}`,
        voucher: { deliveryOptions: [] },
      });
      const extended = await call('extend', { expirationMinutes: 31 });
      expect(Date.parse(extended.utcExpiresAt ?? '')).toBeGreaterThan(Date.parse(held.utcExpiresAt ?? ''));
      const more = [
        ...held.unitItems.map((item) => ({ uuid: item.uuid, unitId: adult, contact })),
        { unitId: adult, contact },
      ];
      const buyer = { fullName: 'Bo Chen', emailAddress: 'bo@example.com', locales: ['en'] };
      const sold = await call('confirm', { contact: buyer, unitItems: more, emailReceipt: false });
      expect(sold).toMatchObject({ status: 'CONFIRMED', contact: buyer, utcExpiresAt: null });
      expect(new Set(sold.unitItems.map((item) => item.uuid)).size).toBe(2);
      expect(await call('confirm', { contact: buyer })).toEqual(sold);
      if (booking % 2 === 0) {
        expect((await call('cancel', { reason: 'Test', force: true })).status).toBe('CANCELLED');
      }
    }
  }
  const hold = await reserve(shop, [], { unitItems });
  const ended = must(await reseller.post<OctoBooking>(`${BOOKINGS}/${hold.uuid}/cancel`, { reason: 'Mistake' }));
  expect(ended).toMatchObject({ status: 'CANCELLED', cancellation: { reason: 'Mistake' } });
  const availability = { productId, optionId, availabilityIds: [departureId] };
  const { body } = await reseller.post<{ utcCutoffAt: string; vacancies: number }[]>(
    '/octo/availability',
    availability,
  );
  expect(body).toMatchObject([
    { utcCutoffAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/), vacancies: 48 },
  ]);
});
