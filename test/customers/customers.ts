import { randomUUID } from 'node:crypto';
import type { TestApp } from '../setup/app.js';

export const CUSTOMERS = '/v1/admin/customers';

export interface Customer extends Record<string, unknown> {
  id: string;
  displayName: string;
  status: string;
  emails: { address: string; isPrimary: boolean }[];
  phones: { number: string; isPrimary: boolean }[];
  version: number;
}

export interface ChangedCustomer {
  data: Customer;
  warnings: { code: string; customerId: string }[];
}

/** A person with a last name of their own; `terms` contain the members that matter to the test. */
export const customer = (terms: object = {}) => ({ lastName: `Customer ${randomUUID()}`, ...terms });

export async function newCustomer(app: TestApp, terms: object = {}): Promise<Customer> {
  const answer = await app.as('owner').post<ChangedCustomer>(CUSTOMERS, customer(terms));
  if (answer.status !== 201) throw new Error(`The customer was rejected: ${answer.text}`);
  return answer.body.data;
}

export async function readCustomer(app: TestApp, id: string): Promise<Customer> {
  return (await app.as('owner').get<{ data: Customer }>(`${CUSTOMERS}/${id}`)).body.data;
}
