import type { Contract } from '../setup/contract/contract.js';
import type { WireAnswer } from './connection.js';
import { type Draft, isPublic, needsSubscription, pathOf } from './draft.js';
import { type Tokens, type WireRequest } from './request.js';
import { CANARY } from './texts.js';

export interface Exchange {
  readonly draft: Draft;
  readonly request: WireRequest;
  readonly answer: WireAnswer;
}

/** Text that only internals of the service would contain. */
const INSIDES =
  /TypeORM|QueryFailed|node_modules|\bat \S+ \(|\.[jt]s:\d+|\/dist\/|\/home\/|\/tmp\/|SQLSTATE|syntax error at|relation "|column "|violates|duplicate key|pg_|ECONN|SELECT .+ FROM|INSERT INTO|Cannot read prop|is not a function|Unexpected token|graphile/i;

/** All faults of a response, one line each; empty if there are none. */
export function faultsOf(exchange: Exchange, contract: Contract, tokens: Tokens): string[] {
  return [
    ...contractFaults(exchange, contract),
    ...statusFaults(exchange),
    ...headerFaults(exchange),
    ...leaks(exchange, tokens),
  ];
}

function contractFaults({ draft, request, answer }: Exchange, contract: Contract): string[] {
  const { status, headers, text } = answer;
  if (draft.also.includes(status)) {
    const isWorded = request.method === 'HEAD' ? text === '' : /^\{.*"(error|message)":/.test(text);
    return headers['x-request-id'] && isWorded ? [] : [`${status} without its body: ${text}`];
  }
  const path = pathOf(draft).replace(/^http:\/\/[^/]+/, '');
  try {
    contract.check({ method: request.method, path: path.split('?', 1)[0] ?? '', status, headers, text });
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function statusFaults({ draft, answer: { status, text } }: Exchange): string[] {
  const { expected, operation, bearer, headers } = draft;
  const isOwn = bearer === 'own' && headers.every(([name]) => name.toLowerCase() !== 'authorization');
  const faults: string[] = [];
  if (status >= 500) faults.push(`the service failed with ${status}`);
  if (expected === 'rejected' && (status < 400 || status > 499)) faults.push(`${status}, but it must be rejected`);
  if (expected === 'unauthorized' && status !== 401) faults.push(`${status}, but the credential is worth nothing`);
  // The fuzzer has no token of a subscription, which lasts for ten minutes.
  const hasCredential = !isPublic(operation) && !needsSubscription(operation);
  if (status === 401 && isOwn && hasCredential) faults.push(`a good credential is refused: ${text}`);
  return faults;
}

const NEEDED: Readonly<Record<number, string>> = {
  401: 'www-authenticate',
  405: 'allow',
  429: 'retry-after',
  503: 'retry-after',
};

function headerFaults({ draft, request, answer: { status, headers } }: Exchange): string[] {
  const faults: string[] = [];
  const needed = NEEDED[status];
  if (needed !== undefined && headers[needed] === undefined) faults.push(`${status} without ${needed}`);
  if (headers['x-content-type-options'] !== 'nosniff') faults.push('no X-Content-Type-Options');
  if (headers['set-cookie'] !== undefined || headers['x'] !== undefined) faults.push('a header came from the request');
  const sent = request.headers.filter(([name]) => name.toLowerCase() === 'x-request-id').map(([, id]) => id);
  const isKept = sent.length === 1 && /^[A-Za-z0-9._-]{8,128}$/.test(sent[0] ?? '') && !draft.mayClose;
  if (isKept && !draft.also.includes(status) && headers['x-request-id'] !== sent[0]) {
    faults.push(`X-Request-Id is ${headers['x-request-id']}, sent was ${sent[0]}`);
  }
  return faults;
}

function leaks({ answer: { status, headers, text } }: Exchange, tokens: Tokens): string[] {
  const response = `${Object.values(headers).join('\n')}\n${text}`;
  const faults = Object.entries(tokens).flatMap(([name, token]) => {
    return response.includes(token) ? [`the answer holds the ${name} credential`] : [];
  });
  if (status < 400) return faults;
  const inside = INSIDES.exec(response);
  if (inside) faults.push(`the answer tells of the inside: ${inside[0]}`);
  if (response.includes(CANARY)) faults.push('the answer echoes what was sent');
  return faults;
}
