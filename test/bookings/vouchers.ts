import { expect } from '@jest/globals';
import { newDeparture } from '../operations/departures.js';
import { newPart, newProduct } from '../products/products.js';
import type { TestApp } from '../setup/app.js';
import { BOOKINGS, type Item, makeBooking, type Page } from './bookings.js';
import { addTraveler, type Traveler } from './travelers.js';

export const REDEMPTIONS = '/v1/admin/operations/redemptions';
export const vouchersOf = (bookingId: string): string => `${BOOKINGS}/${bookingId}/vouchers`;

/** The members of a voucher that the tests read; the contract tests check the others. */
export interface Voucher extends Record<string, unknown> {
  id: string;
  itemId: string;
  travelerId: string | null;
  code: string;
  status: string;
  voidCause: string | null;
  version: number;
}

export interface Sale {
  bookingId: string;
  departureId: string;
  productId: string;
  item: Item;
  travelers: Traveler[];
}

interface SaleTerms {
  rule?: 'on_confirmation' | 'when_paid' | 'never';
  people?: number;
  /** The number of people whose names are known. */
  named?: number;
  isConfirmed?: boolean;
  product?: object;
  booking?: object;
  departure?: object;
}

/** A booking with adults on a departure, of a product with this rule. */
export async function sold(app: TestApp, terms: SaleTerms = {}): Promise<Sale> {
  const { rule: issueVouchers = 'on_confirmation', people = 2, named = people, isConfirmed = true } = terms;
  const owner = app.as('owner');
  const { id: productId } = await newProduct(app, { issueVouchers, ...terms.product });
  const { id: unitId } = await newPart(app, productId, 'units', { type: 'adult', name: 'Adult' });
  const { id: departureId } = await newDeparture(app, { productId, ...terms.departure });
  const { id: bookingId } = await makeBooking(owner, terms.booking);
  const travelers: Traveler[] = [];
  for (let number = 1; number <= named; number += 1) {
    travelers.push(await addTraveler(owner, bookingId, { firstName: `Ana ${number}` }));
  }
  const units = [{ unitId, quantity: people, travelerIds: travelers.map(({ id }) => id) }];
  const { status, body } = await owner.post<{ data: Item }>(`${BOOKINGS}/${bookingId}/items`, { departureId, units });
  expect(status).toBe(201);
  if (isConfirmed) expect(await owner.post(`${BOOKINGS}/${bookingId}/confirmation`)).toMatchObject({ status: 200 });
  return { bookingId, departureId, productId, item: body.data, travelers };
}

export async function listed(app: TestApp, bookingId: string, query = ''): Promise<Voucher[]> {
  const { status, body } = await app.as('owner').get<Page<Voucher>>(`${vouchersOf(bookingId)}${query}`);
  expect(status).toBe(200);
  return body.data;
}

/** The only voucher of a new booking. */
export async function onlyVoucher(app: TestApp): Promise<{ sale: Sale; voucher: Voucher }> {
  const sale = await sold(app, { people: 1 });
  const [voucher, ...others] = await listed(app, sale.bookingId);
  if (!voucher || others.length > 0) throw new Error('The booking has not one voucher');
  return { sale, voucher };
}
