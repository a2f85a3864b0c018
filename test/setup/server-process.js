import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '../../scripts/embedded-postgres/index.js';

/**
 * A separate process for the test server, which runs until its standard input closes. So the server and the folder of the run
 * end with the run, even if it is killed with -9. Prints one JSON line `{adminUrl}` when the server accepts connections.
 */
const [folder] = process.argv.slice(2);

// Ctrl-C reaches the whole process group; the run itself decides when the server ends.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

const server = await startPostgres({ dataDir: join(folder, 'postgres'), durable: false });
process.stdout.write(`${JSON.stringify({ adminUrl: server.superuserUrl })}\n`);

process.stdin.on('end', () => {
  void server
    .stop()
    .then(() => rm(folder, { recursive: true, force: true }))
    .then(() => process.exit(0));
});
process.stdin.resume();
