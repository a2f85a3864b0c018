import { existsSync, writeFileSync } from 'node:fs';
import { startPostgres } from '../../scripts/embedded-postgres/index.js';
const folder = process.argv[2];
const server = await startPostgres({ dataDir: `${folder}/postgres` });
writeFileSync('/tmp/bn/world.json', JSON.stringify({ id: process.argv[3], url: server.url, su: server.superuserUrl, folder }));
while (!existsSync('/tmp/bn/stop')) await new Promise((r) => setTimeout(r, 1000));
await server.stop();
process.exit();
