import { Agent } from 'node:http';
import { Case, type Finding, type Target, type Watch } from './case.js';
import { Connection } from './connection.js';
import { send } from '../setup/http.js';
import { Contract } from '../setup/contract/contract.js';
import type { OpenApiDocument } from '../setup/contract/document.js';
import { operationsOf, resolved, type ServedDocument } from '../contract/served-document.js';
import type { Tokens } from './request.js';
import { Document } from './schema.js';

export interface Order {
  readonly url: string;
  readonly tokens: Tokens;
  readonly seed: string;
  /** Numbers of the cases: from the first to the one before the last. */
  readonly from: number;
  readonly to: number;
  /** Distinguishes repeated runs on one database; the same to repeat a case. */
  readonly run?: string;
  /** Called from time to time. */
  progress?(report: Report): void;
  /** Called with every request and its response. */
  watch?: Watch;
}

export interface Report {
  cases: number;
  requests: number;
  /** The number of responses of each status; 0: no response, and none was required. */
  readonly statuses: Record<number, number>;
  readonly findings: Finding[];
  /** Unexpected database errors of the service; null if it does not serve its metrics. */
  unmappedDatabaseErrors: number | null;
}

const CONNECTIONS = 8;
const ENOUGH_FINDINGS = 200;

/** Runs the cases against the service at `url`, some in parallel. */
export async function fuzz(order: Order): Promise<Report> {
  const target = await targetOf(order);
  const before = await unmappedErrors(order.url);
  const report: Report = { cases: 0, requests: 0, statuses: {}, findings: [], unmappedDatabaseErrors: null };
  let next = order.from;
  const worker = async () => {
    const connection = new Connection(target.url);
    while (next < order.to && report.findings.length < ENOUGH_FINDINGS) {
      const one = new Case(target, connection, { seed: order.seed, number: next++, run: order.run ?? '' });
      await one.run();
      count(report, one);
      if (report.cases % 500 === 0) order.progress?.(report);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const after = await unmappedErrors(order.url);
  report.unmappedDatabaseErrors = after === null || before === null ? null : after - before;
  report.findings.sort((a, b) => a.number - b.number);
  return report;
}

function count(report: Report, { findings, statuses }: Case): void {
  report.cases += 1;
  report.requests += statuses.length;
  for (const status of statuses) report.statuses[status] = (report.statuses[status] ?? 0) + 1;
  report.findings.push(...findings);
}

async function targetOf({ url, tokens, watch }: Order): Promise<Target> {
  const agent = new Agent();
  const { body } = await send<ServedDocument & OpenApiDocument>(agent, new URL(url), {
    method: 'GET',
    path: '/openapi.json',
  });
  return {
    url: new URL(url),
    tokens,
    operations: operationsOf(resolved(body)),
    document: new Document(body),
    contract: new Contract(body),
    watch: watch ?? (() => undefined),
  };
}

async function unmappedErrors(url: string): Promise<number | null> {
  // A service that has ended was reported before.
  const text = await fetch(`${url}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  );
  const line = /^unmapped_db_errors_total (\d+)$/m.exec(text);
  return line ? Number(line[1]) : null;
}
