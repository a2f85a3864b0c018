/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { invalid, type ErrorBody } from '../distribution/channels.js';
import { newProduct, PRODUCTS } from '../products/products.js';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { newTaxCode } from '../taxes/tax-codes.js';
import { departure, DEPARTURES, newDeparture, read } from './departures.js';
import { newFacility } from './facilities.js';

const OMITTED = { endsAt: undefined, timeZone: undefined, capacity: undefined };
const TERMS = {
  timeZone: 'Europe/Bucharest',
  durationMinutes: 90,
  defaultCapacity: 7,
  cutoff: { daysBefore: 1, at: '18:00' },
  minParticipants: 4,
  decideDaysBefore: 60,
};
const DEFAULTS = {
  endsAt: '2127-05-12T07:30:00.000Z',
  timeZone: 'Europe/Bucharest',
  capacity: 7,
  cutoff: { minutesBefore: null, daysBefore: 1, at: '18:00' },
  cutoffAt: '2127-05-11T15:00:00.000Z',
  minParticipants: 4,
  // The same local time before the clocks go forward.
  decideBy: '2127-03-13T07:00:00.000Z',
};

let app: TestApp;
let staff: TestClient;
beforeAll(async () => {
  app = await startApp();
  staff = app.as('owner');
});

describe('the defaults of a new departure', () => {
  const create = (terms: object) => staff.post<ErrorBody>(DEPARTURES, departure({ ...OMITTED, ...terms }));

  const missing = (...fields: string[]) =>
    fields.map((path) => ({ path, message: `${path} is required`, code: 'required' }));

  it('what a new departure omits comes from its product, and a later change of the product does not change it', async () => {
    const { id: facilityId } = await newFacility(app);
    const { id: taxCodeId } = await newTaxCode(staff);
    const { id: productId } = await newProduct(app, { ...TERMS, facilityId, taxCodeId });

    const made = await newDeparture(app, { ...OMITTED, productId });
    const changed = await staff.patch(`${PRODUCTS}/${productId}`, { defaultCapacity: 9, cutoff: null });
    expect(changed.status).toBe(200);

    expect(made).toMatchObject({ ...DEFAULTS, facilityId, taxCodeId });
    expect(await read(app, made.id)).toEqual(made);
  });

  it('what a new departure states counts before its product', async () => {
    const { id: productId } = await newProduct(app, TERMS);
    const stated = {
      endsAt: '2127-05-12T15:00:00.000Z',
      timeZone: 'Europe/London',
      capacity: 0,
      minParticipants: 2,
      decideBy: '2127-05-01T06:00:00.000Z',
    };
    const made = await newDeparture(app, { productId, ...stated, cutoff: { minutesBefore: 30 } });
    expect(made).toMatchObject({ ...stated, cutoffAt: '2127-05-12T05:30:00.000Z' });
  });

  it('null means none, and without a minimum there is no decision date', async () => {
    const { id: facilityId } = await newFacility(app);
    const { id: taxCodeId } = await newTaxCode(staff);
    const { id: productId } = await newProduct(app, { ...TERMS, facilityId, taxCodeId });
    const none = { facilityId: null, taxCodeId: null, cutoff: null, minParticipants: null };

    const made = await newDeparture(app, { ...OMITTED, productId, ...none });
    const open = await newDeparture(app, { ...OMITTED, productId, decideBy: null });

    expect(made).toMatchObject({ ...none, cutoffAt: null, decideBy: null });
    expect(open).toMatchObject({ minParticipants: 4, decideBy: null });
  });

  it('a departure of a product without a record must state its end, time zone and capacity', async () => {
    const { productId } = departure();
    const answer = await create({ productId });
    const issues = missing('endsAt', 'timeZone', 'capacity');
    expect([answer.status, answer.body]).toEqual([400, invalid(answer, issues)]);
    expect(await app.sql('select from departures where product_id = $1', [productId])).toEqual([]);
  });

  it('a departure must state what its product lacks', async () => {
    const { id: productId } = await newProduct(app);
    const answer = await create({ productId });
    expect([answer.status, answer.body]).toEqual([400, invalid(answer, missing('endsAt', 'capacity'))]);
    const made = await newDeparture(app, { productId, timeZone: undefined });
    expect(made).toMatchObject({ timeZone: 'Europe/Berlin', facilityId: null, cutoff: null, minParticipants: null });
  });
});
