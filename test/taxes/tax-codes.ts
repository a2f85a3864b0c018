import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { TestClient } from '../setup/client.js';

export const TAX_CODES = '/v1/admin/finance/tax-codes';

export interface TaxCode extends Record<string, unknown> {
  id: string;
  code: string;
  rates: { rateBasisPoints: number; validFrom: string; validTo: string | null }[];
  version: number;
}

export const taxCodeBody = (over: object = {}): object => ({
  code: randomUUID().slice(0, 20).toUpperCase(),
  name: 'Standard rate',
  country: 'DE',
  kind: 'standard',
  rates: [{ rateBasisPoints: 1_900, validFrom: '2007-01-01' }],
  ...over,
});

export async function newTaxCode(client: TestClient, over: object = {}): Promise<TaxCode> {
  const { status, body } = await client.post<{ data: TaxCode }>(TAX_CODES, taxCodeBody(over));
  expect({ status, body }).toMatchObject({ status: 201 });
  return body.data;
}

/** A tax code with this rate in basis points. */
export async function taxCodeAt(client: TestClient, rateBasisPoints: number, over: object = {}): Promise<TaxCode> {
  return newTaxCode(client, { rates: [{ rateBasisPoints, validFrom: '2007-01-01' }], ...over });
}
