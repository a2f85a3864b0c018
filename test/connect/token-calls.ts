import { expect } from '@jest/globals';
import type { TestApp } from '../setup/app.js';
import type { Answer, Call } from '../setup/http.js';
import { FORM, type OAuthClient, TOKEN, type Token } from './partners.js';

export const GRANT = { grant_type: 'client_credentials' };

/** Requests to the token endpoint, well-formed or malformed, by this client. */
export class TokenCalls {
  constructor(
    private readonly app: TestApp,
    private readonly client: OAuthClient,
  ) {}

  inBody(): { client_id: string; client_secret: string } {
    return { client_id: this.client.clientId, client_secret: this.client.clientSecret };
  }

  basic(id = this.client.clientId, secret = this.client.clientSecret): string {
    return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  }

  /** A form with the grant type and the client's credentials, as text. */
  whole(): string {
    return new URLSearchParams({ ...GRANT, ...this.inBody() }).toString();
  }

  form(parameters: Record<string, string> | string, call: Call = {}): Promise<Answer<Token>> {
    const raw = typeof parameters === 'string' ? parameters : new URLSearchParams(parameters).toString();
    return this.app.post<Token>(TOKEN, undefined, { raw, ...call, headers: { ...FORM, ...call.headers } });
  }

  json(parameters: unknown, call: Call = {}): Promise<Answer<Token>> {
    return this.app.post<Token>(TOKEN, parameters, call);
  }
}

/** The complete error in the format of RFC 6749. */
export function expectFault(answer: Answer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  const description = { error_description: expect.any(String) };
  expect(answer.body).toEqual({ error: code, ...description, code, requestId: expect.any(String) });
  expect(answer.headers['cache-control']).toBe('private, no-store');
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
}
