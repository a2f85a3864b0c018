import { expect } from '@jest/globals';
import type { One } from '../bookings/bookings.js';
import type { TestClient } from '../setup/client.js';

export const NOTES = '/v1/admin/notes';

export interface Note extends Record<string, unknown> {
  id: string;
  subjectId: string;
  subjectTitle: string | null;
  text: string;
  version: number;
}

export async function newNote(client: TestClient, subject: object, over: object = {}): Promise<Note> {
  const { status, body } = await client.post<One<Note>>(NOTES, { ...subject, text: 'Vegetarian', ...over });
  expect(status).toBe(201);
  return body.data;
}
