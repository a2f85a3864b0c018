import { expect } from '@jest/globals';
import type { One } from '../bookings/bookings.js';
import type { TestClient } from '../setup/client.js';

export const TEMPLATES = '/v1/admin/document-templates';

export interface DocumentTemplate extends Record<string, unknown> {
  id: string;
  status: string;
  version: number;
  blocks: object[];
}

export const templateBody = (over: object = {}): object => ({
  ...{ kind: 'confirmation', language: 'en', name: 'Ours' },
  blocks: [{ type: 'heading', text: 'Our trip {{booking.number}}' }],
  ...over,
});

export async function newTemplate(client: TestClient, over: object = {}): Promise<DocumentTemplate> {
  const { status, body, text } = await client.post<One<DocumentTemplate>>(TEMPLATES, templateBody(over));
  expect([status, text]).toEqual([201, text]);
  return body.data;
}
