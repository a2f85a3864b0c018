import type { TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

export const STAFF_SUBSCRIPTIONS = '/v1/admin/realtime/subscriptions';
export const TICKETS = '/realtime/v1/tickets';
export const EVENTS = '/realtime/v1/events';

export interface Subscription {
  token: string;
  expiresAt: string;
  channels: string[];
}

/** A new subscription of the caller. Throws if it is rejected. */
export async function subscribe(
  caller: TestClient,
  channels: string[],
  path = STAFF_SUBSCRIPTIONS,
): Promise<Subscription> {
  const { status, body, text } = await caller.post<{ data: Subscription }>(path, { channels });
  if (status !== 201) throw new Error(`The subscription was not created: ${text}`);
  return body.data;
}

/** The token of a new subscription of the owner to all bookings. */
export async function subscriptionToken(app: TestApp): Promise<string> {
  return (await subscribe(app.as('owner'), ['bookings'])).token;
}

/** The path of the stream of a new ticket. */
export async function ticketPath(app: TestApp, token: string): Promise<string> {
  const { status, body, text } = await app.with(token).post<{ data: { ticket: string } }>(TICKETS);
  if (status !== 201) throw new Error(`The ticket was not created: ${text}`);
  return `${TICKETS}/${body.data.ticket}/events`;
}
