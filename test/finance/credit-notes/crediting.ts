import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { TestClient } from '../../setup/client.js';
import type { Invoice } from '../invoices/invoicing.js';
import { makeSeries } from '../number-series/series.js';

export const PATH = '/v1/admin/finance/credit-notes';

/** The members of a credit note that the tests read; the contract tests check the others. */
export interface CreditNote extends Record<string, unknown> {
  id: string;
  invoiceId: string;
  status: string;
  number: string | null;
  totalCents: number;
  taxCents: number;
  version: number;
  lines: { linePosition: number; totalCents: number; taxCents: number }[];
}

export interface NoteEnvelope {
  data: CreditNote;
}

/** Default series whose numbers no other file of the same application has. */
export async function useOwnSeries(client: TestClient): Promise<void> {
  const mark = randomUUID().slice(0, 8);
  await makeSeries(client, { documentType: 'invoice', isDefault: true, prefix: `I${mark}-` });
  await makeSeries(client, { documentType: 'credit_note', isDefault: true, prefix: `C${mark}-` });
}

export function credit(client: TestClient, invoiceId: string, over: Record<string, unknown> = {}) {
  return client.post<NoteEnvelope>(PATH, { invoiceId, reasonText: 'Agreed by phone', reason: 'correction', ...over });
}

/** A draft of a credit note. */
export async function note(
  client: TestClient,
  invoice: Pick<Invoice, 'id'>,
  over: Record<string, unknown> = {},
): Promise<CreditNote> {
  const { status, text, body } = await credit(client, invoice.id, over);
  expect([status, text]).toEqual([201, text]);
  return body.data;
}

export function issueNote(client: TestClient, id: string, body: object = {}) {
  return client.post<NoteEnvelope>(`${PATH}/${id}/issuance`, body);
}

/** A credit note that was issued. */
export async function issuedNote(
  client: TestClient,
  invoice: Pick<Invoice, 'id'>,
  over: Record<string, unknown> = {},
): Promise<CreditNote> {
  const { id } = await note(client, invoice, over);
  const { status, text, body } = await issueNote(client, id);
  expect([status, text]).toEqual([200, text]);
  return body.data;
}
