import { Agent } from 'node:http';
import { Contract } from './contract/contract.js';
import { send, type Answer, type Call } from './http.js';

/**
 * Speaks HTTP to a running service and holds every answer against the API document that the service serves: a test
 * cannot pass on an answer that the document does not promise.
 */
export class TestClient {
  constructor(
    private readonly url: URL,
    private readonly contract: Contract,
    private readonly agent: Agent,
    private readonly token?: string,
  ) {}

  /** The same service with another credential. */
  with(token: string): TestClient {
    return new TestClient(this.url, this.contract, this.agent, token);
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

  async request<Body = unknown>(method: string, path: string, call: Call = {}): Promise<Answer<Body>> {
    const answer = await send<Body>(this.agent, this.url, { token: this.token, ...call, method, path });
    const { status, headers, text } = answer;
    this.contract.check({ method, path: path.split('?', 1)[0] ?? '', status, headers, text });
    return answer;
  }
}

/** A client of the service at `url`, after one look at its `/openapi.json`. The agent's connections are the caller's to end. */
export async function connect(url: URL, agent: Agent): Promise<TestClient> {
  const { body, status } = await send<ConstructorParameters<typeof Contract>[0]>(agent, url, {
    method: 'GET',
    path: '/openapi.json',
  });
  if (status !== 200) throw new Error(`${url.href}openapi.json answered ${status}`);
  return new TestClient(url, new Contract(body), agent);
}
