import type { Agent } from 'node:http';
import { Contract } from './contract/contract.js';
import type { OpenApiDocument } from './contract/document.js';
import { send, type Answer, type Call } from './http.js';

export interface Connection {
  url: URL;
  /** Owns the connections; the owner of the agent closes them. */
  agent: Agent;
  contract: Contract;
  /** Sent with every call that has no other token. */
  token?: string;
}

/**
 * Sends HTTP requests to a running service and compares every response with the API document that the service serves: a
 * test cannot pass on a response that the document does not contain.
 */
export class TestClient {
  constructor(protected readonly connection: Connection) {}

  get url(): string {
    return this.connection.url.origin;
  }

  /** The same service with another credential. */
  with(token: string): TestClient {
    return new TestClient({ ...this.connection, token });
  }

  get<Body = unknown>(path: string, call: Call = {}): Promise<Answer<Body>> {
    return this.request('GET', path, call);
  }

  post<Body = unknown>(path: string, body?: unknown, call: Call = {}): Promise<Answer<Body>> {
    return this.request('POST', path, { body, ...call });
  }

  put<Body = unknown>(path: string, body?: unknown, call: Call = {}): Promise<Answer<Body>> {
    return this.request('PUT', path, { body, ...call });
  }

  patch<Body = unknown>(path: string, body?: unknown, call: Call = {}): Promise<Answer<Body>> {
    return this.request('PATCH', path, { body, ...call });
  }

  delete<Body = unknown>(path: string, call: Call = {}): Promise<Answer<Body>> {
    return this.request('DELETE', path, call);
  }

  /** Any method, and a path that is sent exactly as it is written. Throws if the response is not as documented. */
  async request<Body = unknown>(method: string, path: string, call: Call = {}): Promise<Answer<Body>> {
    const { agent, url, token, contract } = this.connection;
    const answer = await send<Body>(agent, url, { token, ...call, method, path });
    const { status, headers, text } = answer;
    contract.check({ method, path: path.split('?', 1)[0] ?? '', status, headers, text });
    return answer;
  }
}

/** The document that the service at `url` serves at `/openapi.json`, to compare responses with. */
export async function readContract(url: URL, agent: Agent): Promise<Contract> {
  const { body, status } = await send<OpenApiDocument>(agent, url, { method: 'GET', path: '/openapi.json' });
  if (status !== 200) throw new Error(`${url.href}openapi.json answered ${status}`);
  return new Contract(body);
}
