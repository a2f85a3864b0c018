import pg from 'pg';

/** Runs `work` with a separate database session, for transactions that stay open while the service continues. */
export async function withSession<T>(
  work: (session: pg.Client) => Promise<T>,
  url = process.env.MIGRATION_DATABASE_URL,
): Promise<T> {
  const session = new pg.Client({ connectionString: url, application_name: 'test-session' });
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}
