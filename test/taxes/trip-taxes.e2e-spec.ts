/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { book, makeDeparture, MANUAL, reservedTrip, seats } from '../trips/trips.js';
import { newTaxCode, TAX_CODES, type TaxCode, taxCodeAt } from './tax-codes.js';

let app: TestApp;
let owner: TestClient;
let standard: TaxCode;

beforeAll(async () => {
  app = await startApp();
  owner = app.as('owner');
  standard = await taxCodeAt(owner, 1_900);
});

/** The tax members of the items of the booking that the trip became. */
async function itemsOf(envelopeId: string): Promise<Record<string, unknown>[]> {
  const { status, body } = await book(owner, envelopeId);
  expect({ status, body }).toMatchObject({ status: 200 });
  return app.sql(
    `select item.tax_code_id as "taxCodeId", item.tax_rate_basis_points as rate, item.tax_included_cents::int as tax,
       item.total_sell_cents::int as total
     from booking_items item join trip_components component on component.booking_item_id = item.id
     where component.envelope_id = $1 order by component.position`,
    [envelopeId],
  );
}

describe('the tax codes of trips', () => {
  it('components have the tax code that was sent or that of their departure, and so have the items of the booking', async () => {
    const departure = await makeDeparture(owner, { taxCodeId: standard.id, priceCents: 11_900 });
    const { envelopeId, components } = await reservedTrip(owner, [
      seats(departure.id),
      seats(departure.id, { taxCodeId: null }),
      { ...MANUAL, taxCodeId: standard.id },
    ]);
    const expected = [standard.id, null, standard.id];
    expect(components.map(({ taxCodeId }) => taxCodeId)).toEqual(expected);
    const items = await itemsOf(envelopeId);
    expect(items.map(({ taxCodeId }) => taxCodeId)).toEqual(expected);
    expect(items.map(({ rate }) => rate)).toEqual([1_900, null, 1_900]);
  });

  it('a tax code that became inactive does not prevent the booking of a reserved trip', async () => {
    const { id } = await newTaxCode(owner);
    const { envelopeId } = await reservedTrip(owner, [{ ...MANUAL, taxCodeId: id }]);
    await owner.patch(`${TAX_CODES}/${id}`, { active: false });
    expect(await itemsOf(envelopeId)).toMatchObject([{ taxCodeId: null, rate: null }]);
  });
});
