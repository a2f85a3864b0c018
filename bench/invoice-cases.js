const PATH = '/v1/admin/finance/invoices';
const MANY = 200_000;
const DRAFTS = 30_000;
const BOOKINGS = 500;

/** Customer invoices: lists of many, and concurrent requests for the next number. */
export const invoiceCases = [
  {
    name: 'issue an invoice, one series',
    prepare: async ({ pool, credentials }) => {
      await makeBookings(pool);
      const ids = await makeDrafts(pool);
      return {
        service: () => ({
          method: 'POST',
          path: `${PATH}/${ids.pop()}/issuance`,
          headers: { ...staff(credentials), 'content-type': 'application/json' },
          body: '{}',
        }),
        bare: () => ({ method: 'POST', path: '/number', headers: {} }),
      };
    },
  },
  {
    name: 'list 50 of 200,000 invoices',
    prepare: async ({ pool, credentials }) => {
      await makeIssued(pool);
      return {
        service: () => ({ method: 'GET', path: `${PATH}?limit=50`, headers: staff(credentials) }),
        bare: () => ({ method: 'GET', path: '/invoices', headers: {} }),
      };
    },
  },
];

const staff = (credentials) => ({ authorization: `Bearer ${credentials.staff.token}` });

/** Many bookings, so that the requests compete for the number and not for a booking. */
async function makeBookings(pool) {
  await pool.query(
    `with booking as (
       insert into bookings (id, number, status, currency, total_cents, customer_name, version, created_at, updated_at)
       select 'book_bench_' || n, 'BENCH-' || n, 'draft', 'EUR', 100000000, 'Bench', 1, now(), now()
       from generate_series(1, $1) n
     )
     insert into booking_items (id, booking_id, currency, type, title, status, quantity, unit_sell_cents, total_sell_cents,
       tax_included_cents, pricing_treatment, version, created_at, updated_at)
     select 'bkit_bench_' || n, 'book_bench_' || n, 'EUR', 'unit', 'Tour', 'confirmed', 1, 100000000, 100000000, 0,
       'standard', 1, now(), now()
     from generate_series(1, $1) n`,
    [BOOKINGS],
  );
}

async function makeDrafts(pool) {
  const id = `'inv_' || lpad(n::text, 26, '0')`;
  await pool.query(
    `insert into invoices (id, type, booking_id, status, payer_name, currency, subtotal_cents, tax_cents, total_cents,
       paid_cents, version, created_at, updated_at)
     select ${id}, 'invoice', 'book_bench_' || (n % $2 + 1), 'draft', 'Bench', 'EUR', 100, 0, 100, 0, 1, now(), now()
     from generate_series(1, $1::int) n`,
    [DRAFTS, BOOKINGS],
  );
  await pool.query(
    `insert into invoice_lines (invoice_id, position, description, quantity, unit_price_cents, net_cents, tax_cents,
       total_cents)
     select ${id}, 1, 'Tour', 1, 100, 100, 0, 100 from generate_series(1, $1::int) n`,
    [DRAFTS],
  );
  await pool.query('analyze invoices, invoice_lines, bookings, booking_items');
  const { rows } = await pool.query(`select id from invoices where status = 'draft' and payer_name = 'Bench'`);
  return rows.map((row) => row.id);
}

async function makeIssued(pool) {
  await pool.query(
    `insert into invoices (id, type, booking_id, status, number, series_id, period_key, sequence, issue_date, due_date,
       payer_name, payer_address, seller_name, currency, subtotal_cents, tax_cents, total_cents, paid_cents, issued_at,
       version, created_at, updated_at)
     select 'inv_1' || lpad(n::text, 25, '0'), 'invoice', booking.id, 'issued', 'OLD-' || n, 'iser_01k0dem000e000000000000001',
       '2000', n, date '2020-01-01' + n % 2000, date '2020-01-31' + n % 2000, 'Traveller ' || n, n || ' Lake Road', 'Bench',
       'EUR', 10000, 1900, 11900, 0, now(), 2, timestamptz '2020-01-01' + n * interval '7 minutes', now()
     from generate_series(1, $1::int) n cross join (select id from bookings where currency = 'EUR' order by id limit 1) booking`,
    [MANY],
  );
  await pool.query('vacuum analyze invoices');
}
