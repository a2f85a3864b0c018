import { expect } from '@jest/globals';
import { ImportRunner } from '../../src/modules/desk/imports/import-runner.js';
import type { ImportRecordResponse, ImportResponse } from '../../src/modules/desk/imports/import.dto.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import type { One, Page } from '../bookings/bookings.js';
import type { TestApp } from '../setup/app.js';
import type { TestClient } from '../setup/client.js';

export const IMPORTS = '/v1/admin/imports';

export type Import = ImportResponse;
export type ImportRecord = ImportRecordResponse;

export const csvOf = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** Works on all imports of the database in this process. */
export const runImports = (app: TestApp) => asSystem(() => app.nest.get(ImportRunner, { strict: false }).resumeAll());

export async function upload(client: TestClient, kind: Import['kind'], csv: string): Promise<Import> {
  const { status, body } = await client.post<One<Import>>(IMPORTS, { kind, csv });
  expect({ status, body }).toMatchObject({ status: 202 });
  return body.data;
}

export async function readImport(client: TestClient, id: string): Promise<Import> {
  return (await client.get<One<Import>>(`${IMPORTS}/${id}`)).body.data;
}

export async function recordsOf(client: TestClient, id: string): Promise<ImportRecord[]> {
  const { status, body } = await client.get<Page<ImportRecord>>(`${IMPORTS}/${id}/records?limit=200`);
  expect(status).toBe(200);
  return body.data;
}

/** Uploads a file, waits for its check, and returns the import and its records. */
export async function checked(app: TestApp, kind: Import['kind'], csv: string) {
  const owner = app.as('owner');
  const { id } = await upload(owner, kind, csv);
  await runImports(app);
  return { import: await readImport(owner, id), records: await recordsOf(owner, id) };
}

/** Uploads a file, checks and imports it. */
export async function imported(app: TestApp, kind: Import['kind'], csv: string) {
  const owner = app.as('owner');
  const { id } = (await checked(app, kind, csv)).import;
  const { status } = await owner.post(`${IMPORTS}/${id}/execution`);
  expect(status).toBe(202);
  await runImports(app);
  return { import: await readImport(owner, id), records: await recordsOf(owner, id) };
}
