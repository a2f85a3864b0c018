import { makeToken } from '../identity/staff.js';
import type { TestClient } from '../setup/client.js';
import type { Answer } from '../setup/http.js';

/** The proxy of `Caller`s, for the environment of the service. */
export const BEHIND_PROXY = { TRUSTED_PROXIES: '127.0.0.1,::1' };

/** Sends a GET with a separate token and address. */
export type Caller = (path: string) => Promise<Answer>;

/** Callers that share nothing; only together can they exhaust the resources of a process. */
export async function makeCallers(owner: TestClient, count: number): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (let n = 0; n < count; n += 1) {
    const { token } = await makeToken(owner, ['*']);
    const headers = { 'X-Forwarded-For': `198.51.100.${n + 1}` };
    callers.push((path) => owner.get(path, { token, headers }));
  }
  return callers;
}
