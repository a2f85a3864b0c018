import { expect } from '@jest/globals';
import type { One } from '../bookings/bookings.js';
import type { TestClient } from '../setup/client.js';

export const TASKS = '/v1/admin/tasks';

export interface Task extends Record<string, unknown> {
  id: string;
  title: string;
  status: string;
  version: number;
}

export async function newTask(client: TestClient, over: object = {}): Promise<Task> {
  const { status, body } = await client.post<One<Task>>(TASKS, { title: 'Call back', ...over });
  expect(status).toBe(201);
  return body.data;
}
