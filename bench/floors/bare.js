import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import pg from 'pg';

/* The floor: what Node and PostgreSQL do when nobody checks anything. One prepared statement per request. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
await pool.query('create table if not exists bench_rows (like supplier_invoices including all)');
await pool.query('create table if not exists bench_messages (like realtime_messages including defaults)');

const run = (name, text, values = []) => pool.query({ name, text, values });
const [{ columns }] = (
  await pool.query(`select string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
    where table_name = 'supplier_invoices' and column_name not in ('id', 'number_key')`)
).rows;

const routes = {
  'GET /one': (id) => run('one', 'select * from supplier_invoices where id = $1', [id]),
  'GET /list': () => run('list', 'select * from supplier_invoices order by issue_date desc, id desc limit 50'),
  'POST /insert': () =>
    run(
      'insert',
      `insert into bench_rows (id, number_key, ${columns})
       select $1, $1, ${columns} from supplier_invoices order by id limit 1 returning *`,
      [randomUUID()],
    ),
  'POST /update': (id) =>
    run('update', 'update supplier_invoices set notes = $2, version = version + 1 where id = $1 returning *', [
      id,
      randomUUID(),
    ]),
  'GET /history': (channel) =>
    run(
      'history',
      `select message.* from realtime_messages message join realtime_channels channel on channel.id = message.channel_id
       where channel.name = $1 order by seq desc limit 100`,
      [channel],
    ),
  'GET /health/live': async () => ({ rows: ['ok'] }),
};

createServer((request, response) => {
  const [path, argument] = request.url.split('?');
  const answer = async () => {
    const { rows } = await routes[`${request.method} ${path}`](argument);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(rows));
  };
  const fail = (error) => {
    process.stderr.write(`${error.stack}\n`);
    response.writeHead(500).end();
  };
  request.resume().on('end', () => void answer().catch(fail));
}).listen(Number(process.env.PORT), '127.0.0.1');

process.on('SIGTERM', () => process.exit(0));
