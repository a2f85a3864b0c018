import { join } from 'node:path';

/**
 * The environment of the service in tests. A test that needs another value overrides it where it starts the
 * application.
 */
export function serviceEnv(run, urls) {
  return {
    NODE_ENV: 'test',
    ...urls,
    // One folder for the run: the credentials, vault key and files of the template belong to every copy of it.
    DATA_DIR: join(run.folder, 'data'),
    // Each database has its own ledger.
    LEDGER_CHECKPOINT_FILE: join(run.folder, 'checkpoints', `${databaseOf(urls)}.jsonl`),
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'silent',
    // A caller has a quarter of it, and tests of concurrency need some.
    DATABASE_POOL_SIZE: '24',
    // Suites send more requests per second than any client may; tests of the limits set their own factor.
    RATE_LIMIT_FACTOR: '1000',
    // Parallel files keep the machine busy; tests of overload set their own limit.
    MAX_EVENT_LOOP_DELAY_MS: '5000',
    // A scheduled job could run in the middle of a test.
    SCHEDULED_JOBS: 'false',
    // Loading the model takes half a second and 200 MB; tests of semantic search enable it.
    EMBEDDER: 'none',
    // Receivers of webhooks in tests listen on it.
    EGRESS_ALLOW: '127.0.0.1',
    // Without it, reports of bounces are not accepted.
    BOUNCE_REPORT_SECRET: 'only-for-tests-zq7Kv2Xw9LmB4tRy5',
  };
}

function databaseOf({ DATABASE_URL: url }) {
  return url ? new URL(url).pathname.slice(1) : 'none';
}
