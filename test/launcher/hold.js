import { startPostgres } from '../../scripts/embedded-postgres/index.js';

// Starts the server in a folder, prints its process id and lives on, until it is killed.
const { pid } = await startPostgres({ dataDir: process.argv[2] });
process.stdout.write(`${pid}\n`);
setInterval(() => undefined, 60_000);
