import { poolOf, salesStateOf } from './sales-state.js';

/** The changes of a departure's units; each is one guarded statement. */
export type Change =
  | 'sell'
  | 'unsell'
  | 'hold'
  | 'release_held'
  | 'sell_held'
  | 'sell_guaranteed'
  | 'unsell_guaranteed'
  | 'hold_guaranteed'
  | 'release_held_guaranteed'
  | 'guarantee'
  | 'release'
  | 'withdraw'
  | 'restore';

/** The upper limit of the table's check constraint. */
const MAX_UNITS = 1_000_000;

const POOL = poolOf('d');

/** SQL: the departure has a minimum that was never reached, and staff have not guaranteed it. */
export const isTentative = (alias: string) =>
  `(${alias}.min_participants is not null and ${alias}.guaranteed_at is null)`;

/** Changes caused by a customer; they need a sales state in which units are sold. */
const SALES = ['sell', 'hold', 'sell_guaranteed', 'hold_guaranteed'] as const;

export function isSale(change: Change): boolean {
  return SALES.some((sale) => sale === change);
}

/** Whether the change returns units to the pool. */
export function isFreeing(change: Change): boolean {
  return change === 'unsell' || change === 'release_held' || change === 'release';
}

/** Whether a departure that is called off rejects the change; it only gives units back. */
export function endsWithCallOff(change: Change): boolean {
  return change === 'sell_held' || AVAILABLE[change] !== null;
}

/**
 * Changes one or many departures (`$1` ids, each once; `$2` units) and returns the departures that pass the guard. For a sale, `$3` is the current instant and `$4` the sales states that accept it, so that a sale is rejected if it waited for the lock
 * while sales were closed.
 */
function statement(set: string, guard: string): string {
  return `update departures d set ${set}
    from unnest($1::text[], $2::integer[]) as w (id, n)
    where d.id = w.id and ${guard}
    returning d.id, d.product_id as "productId", d.starts_at as "startsAt", d.ends_at as "endsAt", d.status,
      d.cutoff_at as "cutoffAt", d.sales_closed_at as "salesClosedAt",
      ${POOL} as available, d.sold + d.held as taken, ${isTentative('d')} as tentative`;
}

const ON_SALE = `(${salesStateOf('d', '$3::timestamptz')}) = any($4::text[])`;
const FROM_POOL = `${POOL} >= w.n`;
const FROM_GUARANTEED = 'd.guaranteed_open >= w.n';

export const CHANGES: Readonly<Record<Change, string>> = {
  sell: statement('sold = d.sold + w.n', `${ON_SALE} and ${FROM_POOL}`),
  unsell: statement('sold = d.sold - w.n', 'd.sold >= w.n'),
  hold: statement('held = d.held + w.n', `${ON_SALE} and ${FROM_POOL}`),
  release_held: statement('held = d.held - w.n', 'd.held >= w.n'),
  sell_held: statement('held = d.held - w.n, sold = d.sold + w.n', `d.held >= w.n and d.status <> 'called_off'`),
  sell_guaranteed: statement(
    'sold = d.sold + w.n, guaranteed_open = d.guaranteed_open - w.n',
    `${ON_SALE} and ${FROM_GUARANTEED}`,
  ),
  unsell_guaranteed: statement('sold = d.sold - w.n, guaranteed_open = d.guaranteed_open + w.n', 'd.sold >= w.n'),
  hold_guaranteed: statement(
    'held = d.held + w.n, guaranteed_open = d.guaranteed_open - w.n',
    `${ON_SALE} and ${FROM_GUARANTEED}`,
  ),
  release_held_guaranteed: statement('held = d.held - w.n, guaranteed_open = d.guaranteed_open + w.n', 'd.held >= w.n'),
  guarantee: statement('guaranteed_open = d.guaranteed_open + w.n', `d.status = 'scheduled' and ${FROM_POOL}`),
  release: statement('guaranteed_open = d.guaranteed_open - w.n', FROM_GUARANTEED),
  withdraw: statement('guaranteed_open = d.guaranteed_open - w.n, capacity = d.capacity - w.n', FROM_GUARANTEED),
  restore: statement(
    'guaranteed_open = d.guaranteed_open + w.n, capacity = d.capacity + w.n',
    `d.status = 'scheduled' and d.capacity + w.n <= ${MAX_UNITS}`,
  ),
};

const POOL_AVAILABLE = 'capacity - sold - held - guaranteed_open';

/** SQL: the number of units available to the change; null for changes that only reverse earlier ones. */
export const AVAILABLE: Readonly<Record<Change, string | null>> = {
  sell: POOL_AVAILABLE,
  unsell: null,
  hold: POOL_AVAILABLE,
  release_held: null,
  sell_held: null,
  sell_guaranteed: 'guaranteed_open',
  unsell_guaranteed: null,
  hold_guaranteed: 'guaranteed_open',
  release_held_guaranteed: null,
  guarantee: POOL_AVAILABLE,
  release: null,
  withdraw: null,
  restore: `${MAX_UNITS} - capacity`,
};
