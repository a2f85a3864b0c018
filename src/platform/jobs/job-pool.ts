import type { PoolClient } from 'pg';
import type { ServicePool } from '../database/service-pool.js';
import { toAppError } from '../errors/to-app-error.js';

/** In the words that graphile-worker knows (57P03 cannot_connect_now): it says the same again after some seconds. */
class DatabaseAway extends Error {
  readonly code = '57P03';
}

/**
 * The pool as the job runner gets it. The runner repeats what failed with one of the codes that it knows, and no other: that
 * a job was done, told on a connection that broke, would be a rejection that nobody handles, and the end of the process.
 */
export function jobPool(pool: ServicePool): ServicePool {
  const connect = (callback?: Parameters<ServicePool['connect']>[0]) => {
    if (callback) return pool.connect(callback);
    // A job that outlived the service's stop has nobody to tell; another process takes it up again.
    if (pool.ending) return new Promise<never>(() => undefined);
    return pool.connect().then(patientClient, refuse);
  };
  return overlaid(pool, { connect });
}

function patientClient(client: PoolClient): PoolClient {
  const send = client.query.bind(client) as (...statement: unknown[]) => unknown;
  const query = (...statement: unknown[]): unknown => {
    const answer = send(...statement);
    return answer instanceof Promise ? answer.catch(refuse) : answer;
  };
  return overlaid(client, { query });
}

function refuse(error: unknown): never {
  if (toAppError(error)?.status !== 503) throw error;
  throw new DatabaseAway('The database is unavailable', { cause: error });
}

/** The object itself, but for these members. */
function overlaid<T extends object>(target: T, own: Record<string, unknown>): T {
  return new Proxy(target, {
    get: (_, name) => {
      if (typeof name === 'string' && Object.hasOwn(own, name)) return own[name];
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
