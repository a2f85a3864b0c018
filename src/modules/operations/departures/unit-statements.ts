/** How units of departures move; the table of the domain reference, a row each. */
export type Change =
  | 'sell'
  | 'unsell'
  | 'hold'
  | 'let_go'
  | 'sell_held'
  | 'sell_guaranteed'
  | 'unsell_guaranteed'
  | 'guarantee'
  | 'release'
  | 'withdraw'
  | 'bring_back';

/** What the database's check allows. */
const MOST_UNITS = 1_000_000;

const POOL = 'd.capacity - d.sold - d.held - d.guaranteed_open';

/** One statement for one or many departures (`$1` ids, each once; `$2` units): those that it returns were moved. */
function moving(set: string, guard: string): string {
  return `update departures d set ${set}
    from unnest($1::text[], $2::integer[]) as w (id, n)
    where d.id = w.id and ${guard}
    returning d.id, d.product_id as "productId", d.starts_at as "startsAt", d.ends_at as "endsAt", d.status,
      ${POOL} as available`;
}

const FROM_POOL = `d.status = 'scheduled' and ${POOL} >= w.n`;

export const CHANGES: Readonly<Record<Change, string>> = {
  sell: moving('sold = d.sold + w.n', FROM_POOL),
  unsell: moving('sold = d.sold - w.n', 'd.sold >= w.n'),
  hold: moving('held = d.held + w.n', FROM_POOL),
  let_go: moving('held = d.held - w.n', 'd.held >= w.n'),
  sell_held: moving('held = d.held - w.n, sold = d.sold + w.n', 'd.held >= w.n'),
  sell_guaranteed: moving(
    'sold = d.sold + w.n, guaranteed_open = d.guaranteed_open - w.n',
    `d.status = 'scheduled' and d.guaranteed_open >= w.n`,
  ),
  unsell_guaranteed: moving('sold = d.sold - w.n, guaranteed_open = d.guaranteed_open + w.n', 'd.sold >= w.n'),
  guarantee: moving('guaranteed_open = d.guaranteed_open + w.n', FROM_POOL),
  release: moving('guaranteed_open = d.guaranteed_open - w.n', 'd.guaranteed_open >= w.n'),
  withdraw: moving(
    'guaranteed_open = d.guaranteed_open - w.n, capacity = d.capacity - w.n',
    'd.guaranteed_open >= w.n',
  ),
  bring_back: moving(
    'guaranteed_open = d.guaranteed_open + w.n, capacity = d.capacity + w.n',
    `d.status = 'scheduled' and d.capacity + w.n <= ${MOST_UNITS}`,
  ),
};

const POOL_LEFT = 'capacity - sold - held - guaranteed_open';

/** How many units the change could have had, as an expression; null for what only gives back what was taken. */
export const LEFT: Readonly<Record<Change, string | null>> = {
  sell: POOL_LEFT,
  unsell: null,
  hold: POOL_LEFT,
  let_go: null,
  sell_held: null,
  sell_guaranteed: 'guaranteed_open',
  unsell_guaranteed: null,
  guarantee: POOL_LEFT,
  release: null,
  withdraw: null,
  bring_back: `${MOST_UNITS} - capacity`,
};
