/** Rows of the full size. */
const LEDGER_ROWS = 10_000_000;
const OTHER_ROWS = 2_000_000;
const CHAINS = 64;
/** Rows are spread over the days of this time, which ends now. */
const DAYS = 300;
const MESSAGES_PER_CHANNEL = 10_000;

/** A text of 26 characters that sorts by time, like the suffix of an id; `n` is the number of the row, up to `rows`. */
const SUFFIX = `day.prefix || lpad(n::text, 16, '0')`;
const TIME = `day.start + n % 86400 * interval '1 second'`;

/** The name of a customer, which is rare: letters only, like names of people. */
const NAME = `'Customer ' || translate(left(md5(n::text), 10), '0123456789', 'ghijklmnop')`;
const DUE = `(day.start::date + (n % 120)::int)`;
const PAST = `${DUE} < current_date - 14 and n % 20 > 0`;

/**
 * Copies rows of the demo data, so that they satisfy every constraint, and replaces these columns. `condition` selects the
 * copied rows.
 */
const COPIES = [
  {
    table: 'bookings',
    columns: {
      id: `'book_' || ${SUFFIX}`,
      number: `'G-' || n`,
      customer_name: NAME,
      search_text: `'g-' || n || ' ' || lower(${NAME})`,
      departure_date: `template.departure_date + (n % 700)::int`,
      confirmed_on: 'case when template.confirmed_on is not null then day.start::date end',
    },
  },
  {
    table: 'booking_items',
    condition: `status = 'confirmed' and fee_of_item_id is null`,
    columns: {
      id: `'bkit_' || ${SUFFIX}`,
      booking_id: `'book_' || ${SUFFIX}`,
      departure_id: `case when template.departure_id is not null then 'dep_' || ${SUFFIX} end`,
    },
  },
  {
    table: 'payment_schedules',
    columns: {
      id: `'psch_' || ${SUFFIX}`,
      plan_id: `'plan_' || ${SUFFIX}`,
      booking_id: `'book_' || ${SUFFIX}`,
      due_date: DUE,
      // Most of what was due is paid.
      status: `case when ${PAST} then 'paid' else template.status end`,
      paid_cents: `case when ${PAST} then template.amount_cents else template.paid_cents end`,
    },
  },
  {
    table: 'supplier_invoices',
    columns: {
      id: `'sinv_' || ${SUFFIX}`,
      supplier_name: `'Supplier ' || md5((n % 5000)::text)`,
      supplier_key: `'supplier ' || md5((n % 5000)::text)`,
      invoice_number: `'G-' || n`,
      number_key: `'g-' || n`,
      due_date: `template.due_date + (n % 120)::int`,
    },
  },
  {
    table: 'invoices',
    columns: {
      id: `'inv_' || ${SUFFIX}`,
      booking_id: `'book_' || ${SUFFIX}`,
      schedule_id: 'null',
      number: `case when template.number is not null then 'G-' || n end`,
      sequence: 'case when template.sequence is not null then 1000000 + n end',
      due_date: 'template.due_date + (n % 120)::int',
      payer_name: NAME,
      search_text: `'g-' || n || ' ' || lower(${NAME})`,
    },
    condition: `type = 'invoice'`,
  },
  {
    table: 'payments',
    columns: {
      id: `'pay_' || ${SUFFIX}`,
      booking_id: `case when template.booking_id is not null then 'book_' || ${SUFFIX} end`,
      reference: `'G-' || n`,
      paid_on: 'day.start::date',
      unapplied_cents: 'case when n % 50 = 0 then template.unapplied_cents else 0 end',
    },
    condition: `kind in ('receipt', 'supplier_payment')`,
  },
  {
    table: 'contracts',
    columns: {
      id: `'ctrf_' || ${SUFFIX}`,
      public_id: `'ctr_' || left(md5(n::text), 26)`,
      contract_number: `case when template.contract_number is not null then 'G-' || n end`,
      title: `'Contract ' || md5(n::text)`,
      booking_id: 'null',
    },
  },
  {
    table: 'trip_envelopes',
    columns: { id: `'trip_' || ${SUFFIX}`, title: `'Trip ' || md5(n::text)`, booking_id: 'null' },
  },
  {
    table: 'notification_messages',
    columns: {
      id: `'nmsg_' || ${SUFFIX}`,
      status: `'sent'`,
      sent_at: TIME,
      lease_until: 'null',
      recipient: `'g' || n || '@example.com'`,
      attempts: '1',
    },
  },
  {
    table: 'departures',
    columns: {
      id: `'dep_' || ${SUFFIX}`,
      product_id: `'product-' || n % 5000`,
      starts_at: `template.starts_at + (n % 700) * interval '1 day'`,
      ends_at: `template.ends_at + (n % 700) * interval '1 day'`,
    },
  },
  { table: 'security_events', columns: { id: `'sevt_' || ${SUFFIX}` } },
];

/** The tables that are filled, for `docs/performance.md` and the report of the program. */
export const FILLED = [
  'action_ledger_entries',
  'ledger_payloads',
  ...COPIES.map(({ table }) => table),
  'realtime_messages',
];

/**
 * Fills the database to this share of the full size. The digests of the ledger are synthetic: only the hash of each head is
 * that of the newest entry, so that writing goes on, and `ledger verify` would report every chain. `connect` opens a
 * superuser's connection, which skips triggers and foreign keys.
 */
export async function fill(connect, factor, log) {
  const work = [
    () => fillLedger(connect, Math.round(LEDGER_ROWS * factor), log),
    ...COPIES.map((copy) => () => fillCopies(connect, copy, { rows: Math.round(OTHER_ROWS * factor), log })),
    () => fillMessages(connect, Math.round(OTHER_ROWS * factor), log),
  ];
  // Two at a time: one per core.
  const lane = async () => {
    for (let next = work.shift(); next; next = work.shift()) await next();
  };
  await Promise.all([lane(), lane()]);
  await withClient(connect, async (client) => {
    await client.query('select recount_rows()');
    // Only now no other transaction prevents that rows are marked as visible to all, which scans of indexes alone need.
    await client.query('vacuum');
  });
}

async function fillLedger(connect, rows, log) {
  await withClient(connect, async (client) => {
    const indexes = await dropIndexes(client, 'action_ledger_entries');
    await client.query(
      `create temp table start as select chain, position from ledger_heads;
       create temp table base as select coalesce(max(sequence), 0) as sequence from action_ledger_entries`,
    );
    await timed(log, `${rows} ledger entries`, () =>
      client.query(
        `insert into action_ledger_entries (sequence, id, action, subject_type, subject_id, actor_type, actor_id,
           correlation_id, created_at, chain, position, digest, hash, server_request_id)
         select base.sequence + n, 'aled_' || ${SUFFIX}, 'growth.action.' || n % 50, 'growth_' || n % 10, 'growth_' || n / 5,
           'user', 'user_growth_' || n % 200, 'growth-' || n, ${TIME}, n % ${CHAINS},
           start.position + (n + ${CHAINS - 1}) / ${CHAINS},
           sha256(int8send(n)), sha256(int8send(-n)), 'growth-' || n
         from base, generate_series(1, ${rows}::bigint) as n join start on start.chain = n % ${CHAINS} ${days(rows)}`,
      ),
    );
    await timed(log, `${rows} ledger payloads`, () =>
      client.query(
        `insert into ledger_payloads (entry_id, before, after, digest)
         select 'aled_' || ${SUFFIX}, null, json_build_object('name', md5(n::text), 'status', 'active', 'version', n),
           sha256(int8send(n)) from generate_series(1, ${rows}::bigint) as n ${days(rows)}`,
      ),
    );
    await client.query(
      `select setval('action_ledger_entries_sequence_seq', (select sequence + ${rows} from base));
       alter table ledger_heads disable trigger user;
       update ledger_heads head set position = newest.position, hash = newest.hash
       from (select distinct on (chain) chain, position, hash from action_ledger_entries order by chain, position desc) newest
       where newest.chain = head.chain;
       alter table ledger_heads enable trigger user`,
    );
    await timed(log, 'indexes of the ledger', () => createIndexes(client, indexes));
    await client.query('vacuum (analyze) action_ledger_entries, ledger_payloads');
  });
}

async function fillCopies(connect, { table, columns: replaced, condition = 'true' }, { rows, log }) {
  await withClient(connect, async (client) => {
    const { rows: columns } = await client.query(
      `select attname as name from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`,
      [table],
    );
    const given = { created_at: TIME, ...replaced };
    const names = columns.map(({ name }) => name);
    const values = names.map((name) => (name in given ? given[name] : `template.${name}`));
    const indexes = await dropIndexes(client, table);
    await timed(log, `${rows} ${table}`, () =>
      client.query(
        `with templates as (
           select row_number() over (order by id) - 1 as place, count(*) over () as places, t.*
           from (select * from ${table} where ${condition}) t)
         insert into ${table} (${names.join(', ')}) select ${values.join(', ')}
         from generate_series(1, ${rows}::bigint) as n
           join templates template on template.place = n % template.places ${days(rows)}`,
      ),
    );
    await timed(log, `indexes of ${table}`, () => createIndexes(client, indexes));
    await client.query(`vacuum (analyze) ${table}`);
  });
}

async function fillMessages(connect, rows, log) {
  await withClient(connect, async (client) => {
    const channels = Math.max(1, Math.round(rows / MESSAGES_PER_CHANNEL));
    await client.query(
      `insert into realtime_channels (name, last_seq, oldest_seq, last_published_at)
       select 'growth.' || n, ${MESSAGES_PER_CHANNEL}, 1, now() from generate_series(1, ${channels}) as n`,
    );
    await timed(log, `${rows} realtime messages`, () =>
      client.query(
        `insert into realtime_messages (channel_id, seq, id, event, data, published_at)
         select id, n, 'rmsg_' || lpad(id::text, 13, '0') || lpad(n::text, 13, '0'), 'growth.event', '{"n":1}',
           now() - (${MESSAGES_PER_CHANNEL} - n) * interval '10 seconds'
         from realtime_channels, generate_series(1, ${MESSAGES_PER_CHANNEL}) as n
         where name like 'growth.%' order by id, n limit ${rows}`,
      ),
    );
    await client.query('vacuum (analyze) realtime_messages');
  });
}

/**
 * The day of row `n`, and the time of that day as ids contain it. With `offset 0` PostgreSQL computes that once per day, not once
 * per row.
 */
function days(rows) {
  return `join lateral (select 1) as always on true
    join (select number, date_trunc('day', now()) - (${DAYS} - number) * interval '1 day' as start,
            substr(ledger_id_at(date_trunc('day', now()) - (${DAYS} - number) * interval '1 day'), 6) as prefix
          from generate_series(0, ${DAYS - 1}) as number offset 0) as day on day.number = (n - 1) * ${DAYS} / ${rows}`;
}

/** Building an index of existing rows takes a fraction of maintaining it. Keys stay, because constraints need them. */
async function dropIndexes(client, table) {
  const { rows } = await client.query(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = $1::regclass and not exists (select from pg_constraint where conindid = indexrelid)`,
    [table],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '));
}

async function createIndexes(client, definitions) {
  for (const definition of definitions) await client.query(definition);
}

async function withClient(connect, work) {
  const client = await connect();
  try {
    await client.query(
      `set session_replication_role = replica; set synchronous_commit = off; set maintenance_work_mem = '512MB';
       set work_mem = '64MB'; set jit = off`,
    );
    return await work(client);
  } finally {
    await client.end();
  }
}

async function timed(log, what, work) {
  const started = performance.now();
  await work();
  log(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
