import { expect } from '@jest/globals';
import type { TestClient } from '../setup/client.js';
import { BOOKINGS, type One } from './bookings.js';

/** The members of a traveler that the tests read; the contract tests check the others. */
export interface Traveler extends Record<string, unknown> {
  id: string;
  position: number;
  isLead: boolean;
  status: string;
  firstName: string | null;
  lastName: string | null;
  itemIds: string[];
  missing: string[];
  version: number;
}

export interface Seats {
  itemId: string;
  people: number;
  seats: { seat: number; travelerId: string }[];
}

export const CONSENT = { source: 'booking form', textVersion: '2027-01' };

export const travelersOf = (bookingId: string): string => `${BOOKINGS}/${bookingId}/travelers`;

export async function addTraveler(client: TestClient, bookingId: string, over: object = {}): Promise<Traveler> {
  const { status, body } = await client.post<One<Traveler>>(travelersOf(bookingId), { lastName: 'Ionescu', ...over });
  expect(status).toBe(201);
  return body.data;
}

export async function assign(
  client: TestClient,
  { bookingId, id }: { bookingId: string; id: string },
  travelerIds: string[],
): Promise<Seats> {
  const path = `${BOOKINGS}/${bookingId}/items/${id}/travelers`;
  const { status, body } = await client.put<One<Seats>>(path, { travelerIds });
  expect(status).toBe(200);
  return body.data;
}
