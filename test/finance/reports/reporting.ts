import { expect } from '@jest/globals';
import type { TestApp } from '../../setup/app.js';

export const REPORTS = '/v1/admin/finance/reports';

export type Row = Record<string, unknown> & { currency: string };

export interface Report {
  data: Row[];
  totals: Row[];
  total: number;
}

/** A report as the owner reads it. */
export async function readReport(app: TestApp, path: string): Promise<Report> {
  const { status, body, text } = await app.as('owner').get<Report>(`${REPORTS}/${path}`);
  expect([status, text]).toEqual([200, text]);
  return body;
}

/** Adds up a column of the rows of a currency. */
export function sum(rows: Row[], currency: string, column: string): number {
  return rows.filter((row) => row.currency === currency).reduce((cents, row) => cents + Number(row[column]), 0);
}

export function totalOf({ totals }: Report, currency: string): Row | undefined {
  return totals.find((row) => row.currency === currency);
}
