import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as requestByHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestByHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Env } from '../config/env.js';
import { AllowedTargets } from './addresses.js';
import { type ResolveName, resolveName } from './names.js';

const MAX_URL = 2_048;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_ADDRESSES = 16;

/** Why a request has no answer. Clients see it, and never the text of a library or of the other side. */
export type EgressFault =
  | 'invalid_url'
  | 'address_not_allowed'
  | 'name_not_found'
  | 'connection_failed'
  | 'tls_failed'
  | 'timeout'
  | 'invalid_answer'
  | 'answer_too_large';

/** A request that has no usable answer. */
export class EgressError extends Error {
  constructor(readonly fault: EgressFault) {
    super(`The request has no answer: ${fault}`);
    this.name = 'EgressError';
  }
}

export interface OutgoingRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** For all of it: the name, the connection, the request and the answer. */
  timeoutMs: number;
  /** For the connection, with TLS, within `timeoutMs`. */
  connectMs?: number;
  /**
   * A longer body is rejected, and its connection closed. Null if only the status and the headers matter: the connection is closed
   * without reading the body.
   */
  maxAnswerBytes: number | null;
}

export interface OutgoingAnswer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/**
 * Sends requests to addresses that callers of the API choose. The name is resolved once, each of its addresses is checked, and the
 * connection uses one of them, so that an answer of the name server that changes in between has no effect. No redirect is followed,
 * and no proxy of the environment is used. Only the ports 443 and 80 of addresses of the Internet that other machines have are allowed,
 * unless `EGRESS_ALLOW` names others.
 */
export class Egress {
  private readonly allowed: AllowedTargets;
  private readonly httpsOnly: boolean;

  constructor(
    { egressAllow, production }: Pick<Env, 'egressAllow' | 'production'>,
    private readonly resolve: ResolveName = resolveName,
    addressesOfMachine?: () => readonly string[],
  ) {
    this.allowed = new AllowedTargets(egressAllow, addressesOfMachine);
    this.httpsOnly = production;
  }

  /**
   * The fault of an address as far as its text shows it; null if it has none. A name is resolved only when a request is sent, because
   * its addresses can change until then.
   */
  faultOf(address: string): EgressFault | null {
    const url = address.length <= MAX_URL && URL.canParse(address) ? new URL(address) : null;
    const isHttp = url?.protocol === 'https:' || (url?.protocol === 'http:' && !this.httpsOnly);
    if (!url || !isHttp || url.username !== '' || url.password !== '' || url.hostname === '') return 'invalid_url';
    const name = nameOf(url);
    const isAllowed = isIP(name) === 0 || this.allowed.has({ name, address: name, port: portOf(url) });
    return isAllowed ? null : 'address_not_allowed';
  }

  /** Resolves with the answer, whatever its status. Throws `EgressError` if there is none. */
  async send(request: OutgoingRequest): Promise<OutgoingAnswer> {
    const fault = this.faultOf(request.url);
    if (fault) throw new EgressError(fault);
    const url = new URL(request.url);
    const end = AbortSignal.timeout(request.timeoutMs);
    const addresses = await orTimeout(this.addressesOf(nameOf(url), portOf(url)), end);
    return orTimeout(exchange(request, { url, addresses, end }), end);
  }

  private async addressesOf(name: string, port: number): Promise<string[]> {
    if (isIP(name) !== 0) return [name];
    const addresses = (await this.resolve(name)).slice(0, MAX_ADDRESSES);
    if (addresses.length === 0) throw new EgressError('name_not_found');
    if (!addresses.every((address) => this.allowed.has({ name, address, port }))) {
      throw new EgressError('address_not_allowed');
    }
    return addresses;
  }
}

interface Destination {
  url: URL;
  addresses: readonly string[];
  end: AbortSignal;
}

/** Each request has a connection of its own, so none can use one that another name opened. */
function exchange(request: OutgoingRequest, { url, addresses, end }: Destination): Promise<OutgoingAnswer> {
  const { method, headers, body = '', maxAnswerBytes } = request;
  const isHttps = url.protocol === 'https:';
  const options = {
    method,
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    lookup: pinnedTo(addresses),
    maxHeaderSize: MAX_HEADER_BYTES,
    agent: isHttps ? new HttpsAgent() : new HttpAgent(),
    signal: end,
  };
  return new Promise((resolve, reject) => {
    const outgoing: ClientRequest = isHttps ? requestByHttps(url, options) : requestByHttp(url, options);
    let isAnswered = false;
    const fail = (error: unknown) => {
      outgoing.destroy();
      reject(error instanceof EgressError ? error : new EgressError(end.aborted ? 'timeout' : faultOfError(error)));
    };
    const failAs = (fault: EgressFault) => {
      fail(new EgressError(fault));
    };
    outgoing.on('error', fail);
    // Without a listener Node closes the connection after `101 Switching Protocols` and reports neither an answer nor an error.
    outgoing.on('upgrade', (_, socket) => {
      socket.destroy();
      failAs('invalid_answer');
    });
    outgoing.on('close', () => {
      if (!isAnswered) failAs(end.aborted ? 'timeout' : 'connection_failed');
    });
    if (request.connectMs !== undefined) {
      limitConnecting(outgoing, request.connectMs, () => {
        failAs('timeout');
      });
    }
    // The limit of the parser applies to each header section, and a receiver can send any number of `103 Early Hints`.
    limitReceived(outgoing, MAX_HEADER_BYTES + (maxAnswerBytes ?? 0), () => {
      failAs('answer_too_large');
    });
    outgoing.on('response', (answer) => {
      isAnswered = true;
      if (maxAnswerBytes !== null) return void readAnswer(answer, maxAnswerBytes).then(resolve, fail);
      answer.on('error', () => undefined);
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.alloc(0) });
      outgoing.destroy();
    });
    outgoing.end(body);
  });
}

/** Calls `stop` if there is no connection within this time. */
function limitConnecting(outgoing: ClientRequest, connectMs: number, stop: () => void): void {
  const timer = setTimeout(stop, connectMs);
  const end = () => {
    clearTimeout(timer);
  };
  outgoing.on('close', end);
  outgoing.on('socket', (socket) => {
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', end);
  });
}

/** Calls `stop` when the connection has received more bytes than this, whatever they are. */
function limitReceived(outgoing: ClientRequest, maxBytes: number, stop: () => void): void {
  let received = 0;
  outgoing.on('socket', (socket) => {
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > maxBytes) stop();
    });
  });
}

async function readAnswer(answer: IncomingMessage, maxBytes: number): Promise<OutgoingAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new EgressError('answer_too_large');
    chunks.push(chunk);
  }
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) };
}

/** Answers with the checked addresses, whatever name is asked for. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all = false }, done) => {
    const [first = { address: '', family: 0 }] = found;
    if (all) done(null, found);
    else done(null, first.address, first.family);
  };
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** The name in lower case, without the dot of the root; an address of IPv6 without its brackets. */
function nameOf(url: URL): string {
  return url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

function faultOfError(error: unknown): EgressFault {
  const { code = '' } = error as { code?: unknown };
  const text = String(code);
  if (text.startsWith('HPE_')) return 'invalid_answer';
  return /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(text)
    ? 'tls_failed'
    : 'connection_failed';
}

async function orTimeout<T>(work: Promise<T>, end: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const timeout = new Promise<never>((_, reject) => {
    stop = () => {
      reject(new EgressError('timeout'));
    };
    end.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    end.removeEventListener('abort', stop);
  }
}
