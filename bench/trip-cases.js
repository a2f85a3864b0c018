const PLENTY = 1_000_000;
const TRIPS = 30_000;
const SPREAD = 300;

/** Departures, and reservations of priced trips on them with little and with much concurrency. */
export const tripCases = [
  {
    name: 'get departure',
    prepare: async ({ pool, credentials }) => {
      const { rows } = await pool.query(`select id from departures where id not like 'dep_bench_%' limit 1`);
      const headers = { authorization: `Bearer ${credentials.staff.token}` };
      return { service: () => ({ method: 'GET', path: `/v1/admin/operations/departures/${rows[0].id}`, headers }) };
    },
  },
  {
    name: 'reserve three departures',
    prepare: async ({ pool, credentials }) => {
      await makeDepartures(pool, 'spread', SPREAD);
      return reserving(credentials, await makeTrips(pool, { product: 'spread', components: 3 }));
    },
  },
  {
    name: 'reserve on one hot departure',
    prepare: async ({ pool, credentials }) => {
      await makeDepartures(pool, 'hot', 1);
      const [seat] = await makeDepartures(pool, 'bare', 1);
      const requests = reserving(credentials, await makeTrips(pool, { product: 'hot', components: 1 }));
      return { ...requests, bare: () => ({ method: 'POST', path: `/seat?${seat}`, headers: {} }) };
    },
  },
];

const PARTY = { billing: { name: 'Bench', email: 'bench@example.com' }, travelers: [{ name: 'Bench' }] };

function reserving({ staff }, ids) {
  const headers = { authorization: `Bearer ${staff.token}` };
  return {
    service: () => {
      const id = ids.pop();
      if (!id) throw new Error(`More than ${TRIPS} trips were reserved: prepare more`);
      return { method: 'POST', path: `/v1/admin/trips/${id}/reserve`, headers };
    },
  };
}

async function makeDepartures(pool, product, count) {
  const { rows } = await pool.query(
    `insert into departures (id, product_id, starts_at, ends_at, time_zone, capacity, price_cents, tax_included_cents,
       currency, status, sold, held, guaranteed_open, version, created_at, updated_at)
     select 'dep_bench_' || $1 || '_' || n, $1,
       now() + '100 days', now() + '101 days', 'UTC', $3, 100, 0, 'EUR', 'scheduled', 0, 0, 0, 1, now(), now()
     from generate_series(1, $2::int) n returning id`,
    [product, count, PLENTY],
  );
  return rows.map(({ id }) => id);
}

/** Priced trips, spread over the departures of the product. */
async function makeTrips(pool, { product, components }) {
  const { rows } = await pool.query(
    `insert into trip_envelopes (id, title, status, currency, traveler_party, subtotal_cents, tax_cents, total_cents,
       price_expires_at, fencing_token, attention, version, created_at, updated_at)
     select 'trip_' || lpad($1::int || lpad(n::text, 10, '0'), 26, '0'), 'Bench', 'priced', 'EUR', $2::jsonb, $1::int * 100,
       0, $1::int * 100, now() + '1 hour', 0, false, 1, now(), now()
     from generate_series(1, $3::int) n returning id`,
    [components, JSON.stringify(PARTY), TRIPS],
  );
  const ids = rows.map(({ id }) => id);
  await pool.query(
    `with d as (select id, row_number() over (order by id) - 1 as at, count(*) over () as of from departures where product_id = $3)
     insert into trip_components (id, envelope_id, position, kind, title, quantity, status, departure_id, confirmed_by_staff,
       currency, subtotal_cents, tax_cents, total_cents, price_expires_at, warnings, version, created_at, updated_at)
     select 'tcmp_' || lpad($2::int::text || lpad(t.n::text, 10, '0') || p, 26, '0'), t.id, p, 'catalog_booking', 'Seat', 1,
       'priced', d.id, false, 'EUR', 100, 0, 100, now() + '1 hour', '[]', 1, now(), now()
     from unnest($1::text[]) with ordinality as t (id, n)
     cross join generate_series(0, $2::int - 1) p
     join d on d.at = (t.n * 7 + p) % d.of`,
    [ids, components, product],
  );
  await pool.query('analyze trip_envelopes, trip_components, departures');
  return ids;
}
