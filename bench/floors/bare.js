import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { listStatement } from '../../dist/src/modules/finance/receivables/invoices/invoice-list.sql.js';

/* The floor: Node.js and PostgreSQL without any checks, with one prepared statement per request. */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
await pool.query('create table if not exists bench_rows (like supplier_invoices including all)');
await pool.query('create table if not exists bench_messages (like realtime_messages including defaults)');

await pool.query(`create table if not exists bench_counters (id integer primary key, next_number bigint not null);
  create table if not exists bench_numbers (id text primary key, number bigint not null unique);
  create table if not exists bench_records (id text primary key, number bigint not null)`);

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
  'GET /invoices': () => pool.query(listStatement({}, { columns: 'invoice.*', today: '2026-01-01' })),
  // The shortest issue that leaves a record: the counter is locked until the commit.
  'POST /number': async () => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query({
        name: 'number',
        text: `with taken as (
            insert into bench_counters values (1, 2)
            on conflict (id) do update set next_number = bench_counters.next_number + 1
            returning next_number - 1 as number
          )
          insert into bench_numbers select $1, number from taken returning number`,
        values: [randomUUID()],
      });
      await client.query({
        name: 'record',
        text: 'insert into bench_records (id, number) values ($1, $2)',
        values: [randomUUID(), rows[0].number],
      });
      await client.query('commit');
      return { rows };
    } finally {
      client.release();
    }
  },
  // The shortest sale that cannot oversell.
  'POST /seat': (id) =>
    run(
      'seat',
      `update departures set held = held + 1
       where id = $1 and status = 'scheduled' and capacity - sold - held - guaranteed_open >= 1 returning id, held`,
      [id],
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
