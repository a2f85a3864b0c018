import { join } from 'node:path';

/**
 * A process of its own that holds the test server: it lives until its standard input closes. So the server ends with
 * the run even when the run is killed with -9. Prints one JSON line `{adminUrl}` when the server accepts connections.
 */
const folder = process.argv[2];
const { startPostgres } = await import('../../scripts/embedded-postgres/index.js');

// Ctrl-C reaches the whole process group; the run itself decides when the server goes.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

const server = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false });
process.stdout.write(`${JSON.stringify({ adminUrl: server.superuserUrl })}\n`);

process.stdin.on('end', () => {
  void server.stop().then(() => process.exit(0));
});
process.stdin.resume();
