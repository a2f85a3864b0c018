import { expect } from '@jest/globals';
import { RecordDocumentJobs } from '../../src/modules/documents/records/record-documents.jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import type { One } from '../bookings/bookings.js';
import { fetchFile } from '../finance/renditions/rendering.js';
import type { TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';
import { pagesOf } from '../setup/pdf.js';

export const DOCUMENTS = '/v1/admin/documents';

export interface RecordDocument extends Record<string, unknown> {
  id: string;
  status: string;
  version: number;
  language: string;
}

export async function requested(client: TestClient, body: object): Promise<RecordDocument> {
  const { status, body: answer, headers } = await client.post<One<RecordDocument>>(DOCUMENTS, body);
  expect([status, answer.data]).toEqual([202, answer.data]);
  expect(headers['location']).toBe(`${DOCUMENTS}/${answer.data.id}`);
  return answer.data;
}

export const render = (app: TestApp, documentId: string) =>
  asSystem(() => app.nest.get(RecordDocumentJobs, { strict: false }).render({ documentId }));

/** Requests a document and renders it. */
export async function printed(app: TestApp, body: object, client = app.as('owner')): Promise<RecordDocument> {
  const { id } = await requested(client, body);
  await render(app, id);
  return (await client.get<One<RecordDocument>>(`${DOCUMENTS}/${id}`)).body.data;
}

/** The text of a downloaded document, and the headers of the file. */
export async function textOf(app: TestApp, id: string, query = '') {
  const { status, headers } = await app.as('owner').get(`${DOCUMENTS}/${id}/download${query}`);
  expect(status).toBe(302);
  const file = await fetchFile(app.url + headers['location']);
  expect(file.status).toBe(200);
  return { text: (await pagesOf(file.bytes)).join(' '), headers: file.headers };
}
