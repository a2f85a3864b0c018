import { expect } from '@jest/globals';
import { BulkOperationRunner } from '../../src/modules/desk/bulk-operations/bulk-operation-runner.js';
import type {
  BulkOperationItemResponse,
  BulkOperationResponse,
} from '../../src/modules/desk/bulk-operations/bulk-operation.dto.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import type { One, Page } from '../bookings/bookings.js';
import { newCustomer } from '../customers/customers.js';
import type { TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

export const BULK = '/v1/admin/bulk-operations';

export type BulkOperation = BulkOperationResponse;

/** Works on all bulk operations of the database in this process. */
export const runBulk = (app: TestApp) =>
  asSystem(() => app.nest.get(BulkOperationRunner, { strict: false }).resumeAll());

export async function startBulk(client: TestClient, body: object): Promise<BulkOperation> {
  const answer = await client.post<One<BulkOperation>>(BULK, body);
  if (answer.status !== 202) throw new Error(`The bulk operation was rejected: ${answer.text}`);
  return answer.body.data;
}

export async function readBulk(client: TestClient, { id }: { id: string }): Promise<BulkOperation> {
  return (await client.get<One<BulkOperation>>(`${BULK}/${id}`)).body.data;
}

export async function bulkItems(
  client: TestClient,
  { id }: { id: string },
  query = '',
): Promise<BulkOperationItemResponse[]> {
  const url = `${BULK}/${id}/items?limit=200${query}`;
  const { status, body } = await client.get<Page<BulkOperationItemResponse>>(url);
  expect(status).toBe(200);
  return body.data;
}

/** Starts an operation, waits for its end, and returns the outcomes of its records. */
export async function bulk(app: TestApp, body: object, client = app.as('owner')) {
  const started = await startBulk(client, body);
  await runBulk(app);
  const items = await bulkItems(app.as('owner'), started);
  return { operation: await readBulk(app.as('owner'), started), items };
}

/** An operation in this state, a dry run of one record: it failed if the state is `completed_with_failures`, otherwise it is pending. */
export async function bulkIn(app: TestApp, status: BulkOperation['status']): Promise<string> {
  const { id: customerId } = await newCustomer(app);
  const params = { add: ['season-2027'] };
  const { id } = await startBulk(app.as('owner'), { type: 'customers.tag', ids: [customerId], params, dryRun: true });
  const runner = app.nest.get(BulkOperationRunner, { strict: false });
  await asSystem(() => runner.work({ bulkOperationId: id }));
  await setBulk(app, id, status);
  return id;
}

export async function setBulk(app: TestApp, id: string, status: BulkOperation['status']): Promise<void> {
  const isFailed = status === 'completed_with_failures';
  await app.sql(`update bulk_operation_items set status = $2, code = $3, message = null where operation_id = $1`, [
    id,
    isFailed ? 'failed' : 'pending',
    isFailed ? 'overloaded' : null,
  ]);
  await app.sql(`update bulk_operations set status = $2, ended_at = ${isFailed ? 'now()' : 'null'} where id = $1`, [
    id,
    status,
  ]);
}
