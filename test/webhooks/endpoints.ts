import { newId } from '../../src/platform/ids/id.js';
import type { TestApp } from '../setup/app.js';

export const ENDPOINTS = '/v1/admin/webhooks/endpoints';
export const DELIVERIES = '/v1/admin/webhooks/deliveries';

/** Nothing listens there, and the events are rare. */
export const endpointBody = (terms: object = {}) => ({
  url: 'http://127.0.0.1:9/',
  eventTypes: ['period.reopened'],
  ...terms,
});

export async function newEndpoint(app: TestApp, terms: object = {}): Promise<string> {
  const answer = await app.as('owner').post<{ data: { id: string } }>(ENDPOINTS, endpointBody(terms));
  if (answer.status !== 201) throw new Error(`creating an endpoint answered ${answer.status} ${answer.text}`);
  return answer.body.data.id;
}

export async function disabledEndpoint(app: TestApp): Promise<string> {
  const id = await newEndpoint(app);
  await app.sql(
    `update webhook_endpoints set status = 'disabled', disabled_reason = 'gone', disabled_at = now() where id = $1`,
    [id],
  );
  return id;
}

/** A delivery that has succeeded; returns its ID and that of its endpoint. */
export async function delivered(app: TestApp): Promise<{ deliveryId: string; endpointId: string }> {
  const [endpointId, eventId, deliveryId] = [await newEndpoint(app), newId('evt'), newId('whd')];
  await app.sql(
    `insert into webhook_events (id, type, channel, subject, data, created_at, stored_at)
     values ($1, 'period.reopened', 'finance.periods', '2026-01', '{"period":"2026-01"}', now(), now())`,
    [eventId],
  );
  await app.sql(
    `insert into webhook_deliveries (id, endpoint_id, event_id, event_type, subject, status, attempts, tries, completed_at,
       created_at, updated_at)
     values ($1, $2, $3, 'period.reopened', '2026-01', 'succeeded', 1, 1, now(), now(), now())`,
    [deliveryId, endpointId, eventId],
  );
  return { deliveryId, endpointId };
}
