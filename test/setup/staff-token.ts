import { randomUUID } from 'node:crypto';
import type { TestApp } from './app.js';

/** An API token of the owner with these scopes only. */
export async function tokenWith(app: TestApp, scopes: string[]): Promise<string> {
  const body = { name: `Test ${randomUUID()}`, scopes };
  const answer = await app.as('owner').post<{ data: { token: string } }>('/v1/admin/identity/api-tokens', body);
  if (answer.status !== 201) throw new Error(`The token was refused: ${answer.text}`);
  return answer.body.data.token;
}

/** The ID of the owner's API token, which ends the links that are made with it. */
export async function ownerTokenId(app: TestApp): Promise<string> {
  const [publicId = ''] = app.credentials.staff.token.split('_').slice(1);
  const [token] = await app.sql<{ id: string }>('select id from api_tokens where public_id = $1', [publicId]);
  return token?.id ?? '';
}
