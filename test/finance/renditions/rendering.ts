import { expect } from '@jest/globals';
import { request } from 'node:http';
import type { TestApp } from '../../setup/app.js';
import type { TestClient } from '../../setup/client.js';
import { draft, type Invoice, issue, PATH, sell } from '../invoices/invoicing.js';
import { makeSeries } from '../number-series/series.js';

export const RENDITIONS = '/v1/admin/finance/invoice-renditions';

export interface Rendition extends Record<string, unknown> {
  id: string;
  status: string;
  version: number;
  sha256: string | null;
}

/** An issued invoice of two lines with a total of 23800, 3800 tax included. */
export async function bill(app: Pick<TestApp, 'as' | 'sql'>, over: Record<string, unknown> = {}): Promise<Invoice> {
  const owner = app.as('owner');
  const { id: seriesId } = await makeSeries(
    owner,
    typeof over['prefix'] === 'string' ? { prefix: over['prefix'] } : {},
  );
  const { id: bookingId } = await sell(app, { plan: [100_000] });
  const lines = [
    { description: 'City tour', quantity: '2', unitPriceCents: 9_500, taxRateBasisPoints: 1_900 },
    { description: 'Museum', unitPriceCents: 1_000, taxRateBasisPoints: 1_900 },
  ];
  const { id } = await draft(owner, { bookingId, payerName: 'Łukasz & Söhne', lines });
  const answer = await issue(owner, id, { seriesId });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.body.data;
}

export async function requestRendition(
  client: TestClient,
  invoiceId: string,
  body: object = { format: 'pdf' },
): Promise<Rendition> {
  const answer = await client.post<{ data: Rendition }>(`${PATH}/${invoiceId}/renditions`, body);
  expect([answer.status, answer.text]).toEqual([202, answer.text]);
  return answer.body.data;
}

export const download = (client: TestClient, id: string, query = '') =>
  client.get<{ code: string }>(`${RENDITIONS}/${id}/download${query}`);

/** The link to the file, after the job has rendered it. */
export async function linkOf(client: TestClient, id: string): Promise<string> {
  for (;;) {
    const { status, headers, body } = await download(client, id);
    if (status === 302) return headers['location'] ?? '';
    expect([status, body]).toEqual([409, expect.objectContaining({ code: 'rendition_not_ready' })]);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export interface Fetched {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
}

/** Fetches bytes; the client of the other tests decodes text. */
export function fetchFile(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Fetched> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
