import type { Finding } from './case.js';
import type { WireAnswer } from './connection.js';
import { curlOf } from './curl.js';
import type { Report } from './fuzzer.js';
import type { WireRequest } from './request.js';

/** Describes a finding: the mutations of the case, the faults, the request as a shell command, and the command to repeat it. */
export function describeFinding({ number, operationId, mutations, faults, request }: Finding, place: Place): string {
  const { seed, url, run } = place;
  return [
    `case ${number}, ${operationId}: ${mutations.join('; ')}`,
    ...faults.map((fault) => `  - ${fault}`),
    `  ${curlOf(request, url)}`,
    `  npm run fuzz -- --seed ${seed} --case ${number}${run ? ` --run ${run}` : ''}`,
  ].join('\n');
}

/** Describes a request as a shell command, and its response. */
export function describeExchange(request: WireRequest, { status, headers, text }: WireAnswer, url: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [curlOf(request, url), `${status}`, ...lines, '', text].join('\n');
}

export interface Place {
  seed: string;
  url: string;
  run?: string;
}

export function figures({ cases, requests, statuses, findings, unmappedDatabaseErrors }: Report): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${status === '0' ? 'closed' : status} ${count}`);
  const text = `${cases} cases, ${requests} requests: ${counts.join(', ')}; findings ${findings.length}`;
  return unmappedDatabaseErrors === null ? text : `${text}; unmapped_db_errors_total ${unmappedDatabaseErrors}`;
}
