import type { PoolClient } from 'pg';
import type { ServicePool } from '../database/service-pool.js';
import { toAppError } from '../errors/to-app-error.js';

/** An error that graphile-worker retries after some seconds (57P03 cannot_connect_now). */
class DatabaseAway extends Error {
  readonly code = '57P03';
}

/**
 * The pool for the job runner. The runner retries statements that fail with one of the codes it knows. Any other error of the
 * statement that completes a job would be an unhandled rejection, which ends the process.
 *
 * The runner passes a callback only for the connection that listens for new jobs. That connection comes from the second pool,
 * because notifications belong to a session.
 */
export function jobPool(pool: ServicePool, listening: ServicePool): ServicePool {
  const connect = (callback?: Parameters<ServicePool['connect']>[0]) => {
    if (callback) return listening.connect(callback);
    // The service has stopped; another process runs this job again.
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

/** Returns the object with these members replaced. */
function overlaid<T extends object>(target: T, own: Record<string, unknown>): T {
  return new Proxy(target, {
    get: (_, name) => {
      if (typeof name === 'string' && Object.hasOwn(own, name)) return own[name];
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
