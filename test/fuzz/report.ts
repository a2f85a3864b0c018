import type { Finding } from './case.js';
import type { WireAnswer } from './connection.js';
import { curlOf } from './curl.js';
import type { Report } from './fuzzer.js';
import type { WireRequest } from './request.js';

/** A finding for people: what was done, what is wrong, the request as a line for a shell, and how to see it again. */
export function told({ number, operationId, deeds, faults, request }: Finding, place: Place): string {
  const { seed, url, run } = place;
  return [
    `case ${number}, ${operationId}: ${deeds.join('; ')}`,
    ...faults.map((fault) => `  - ${fault}`),
    `  ${curlOf(request, url)}`,
    `  npm run fuzz -- --seed ${seed} --case ${number}${run ? ` --run ${run}` : ''}`,
  ].join('\n');
}

/** One request and its answer, as a shell would show them. */
export function asked(request: WireRequest, { status, headers, text }: WireAnswer, url: string): string {
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
  const said = `${cases} cases, ${requests} requests: ${counts.join(', ')}; findings ${findings.length}`;
  return unmappedDatabaseErrors === null ? said : `${said}; unmapped_db_error ${unmappedDatabaseErrors}`;
}
