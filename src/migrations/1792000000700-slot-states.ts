import type { MigrationInterface, QueryRunner } from 'typeorm';

const KINDS = ['allot', 'pick', 'unpick', 'release', 'reclaim'];
const CAUSES = [
  'opened',
  'changed',
  'item',
  'step',
  'hand',
  'out_of_range',
  'departure_cancelled',
  'deleted',
  'reversal',
];
const NEW_KINDS = ['suspend', 'resume', 'hold', 'let_go'];
const NEW_CAUSES = ['shortage', 'moved', 'trip', 'migrated'];

/** A movement's id in SQL; nothing reads the time of it. */
const MOVEMENT_ID = `'almv_0' || left(replace(gen_random_uuid()::text, '-', ''), 25)`;

/**
 * Slots count suspended units, which return when the slot is opened again, units held by trips, and expired units, which went
 * back to the supplier. Executed release steps know which of their units are still released.
 */
export class SlotStates1792000000700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.allow(runner, [...KINDS, ...NEW_KINDS], [...CAUSES, ...NEW_CAUSES]);
    await runner.query(`
      alter table allotment_slots
        add held integer not null default 0 check (held >= 0),
        add suspended integer not null default 0 check (suspended >= 0),
        add expired integer not null default 0,
        drop constraint allotment_slots_units,
        drop constraint allotment_slots_closed;
      alter table allotments add reclaim_on_move boolean;
      update allotments set reclaim_on_move = true where release_mode is not null;
      alter table allotments
        add constraint allotments_reclaim_on_move check ((reclaim_on_move is null) = (release_mode is null));
      alter table release_executions add outstanding integer not null default 0 check (outstanding >= 0);`);
    await this.suspendClosed(runner);
    await this.countExpired(runner);
    // Steps whose units were partly reclaimed are not listed: their units return by hand.
    await runner.query(`
      update release_executions e set outstanding = e.units
      from allotment_slots s join allotments a on a.id = s.allotment_id
      where s.id = e.slot_id and e.status = 'done' and a.unsold_action = 'release_to_general_pool'
        and s.released >= (select sum(units) from release_executions where slot_id = s.id and status = 'done')`);
    await runner.query(`
      alter table allotment_slots
        add constraint allotment_slots_units check (sold + held + released + suspended <= allotted),
        add constraint allotment_slots_closed check (
          case when closed_at is null then suspended = 0 else sold + held + released + suspended = allotted end
        ),
        add constraint allotment_slots_expired check (expired between 0 and released);`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table allotment_slots drop constraint allotment_slots_units, drop constraint allotment_slots_closed,
        drop constraint allotment_slots_expired;
      update allotment_slots
      set released = released + suspended + case when closed_at is null then 0 else held end
      where suspended + held > 0;
      alter table allotment_slots drop held, drop suspended, drop expired,
        add constraint allotment_slots_units check (sold + released <= allotted),
        add constraint allotment_slots_closed check (closed_at is null or sold + released = allotted);
      alter table allotments drop reclaim_on_move;
      alter table release_executions drop outstanding;`);
    await runner.query(`
      alter table allotment_movements disable trigger allotment_movements_append_only;
      delete from allotment_movements where kind in ('hold', 'let_go') or cause = 'migrated';
      update allotment_movements
      set kind = case kind when 'suspend' then 'release' when 'resume' then 'reclaim' else kind end,
          cause = case cause when 'shortage' then 'opened' when 'moved' then 'reversal' when 'trip' then 'hand' else cause end
      where kind in ('suspend', 'resume') or cause in ('shortage', 'moved', 'trip');
      alter table allotment_movements enable trigger allotment_movements_append_only;`);
    await this.allow(runner, KINDS, CAUSES);
  }

  private async allow(runner: QueryRunner, kinds: readonly string[], causes: readonly string[]): Promise<void> {
    const listed = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
    await runner.query(`
      alter table allotment_movements
        drop constraint allotment_movements_kind_check,
        drop constraint allotment_movements_cause_check,
        add constraint allotment_movements_kind_check check (kind in (${listed(kinds)})),
        add constraint allotment_movements_cause_check check (cause in (${listed(causes)}));`);
  }

  /** What the last closure of a closed slot released is suspended now. Its movements keep adding up. */
  private async suspendClosed(runner: QueryRunner): Promise<void> {
    await runner.query(`
      with closing as (
        select distinct on (s.id) s.id, m.quantity, m.created_at
        from allotment_slots s join allotment_movements m on m.slot_id = s.id
        where s.closed_at is not null and m.kind = 'release'
          and m.cause in ('out_of_range', 'departure_cancelled', 'deleted')
          and not exists (
            select from allotment_movements later
            where later.slot_id = s.id and later.kind in ('allot', 'reclaim')
              and (later.created_at, later.id) > (m.created_at, m.id))
        order by s.id, m.created_at desc, m.id desc
      ),
      suspended as (
        update allotment_slots s
        set suspended = least(c.quantity, s.released), released = s.released - least(c.quantity, s.released)
        from closing c where c.id = s.id
        returning s.id, s.suspended
      )
      insert into allotment_movements (id, slot_id, kind, cause, quantity, created_at)
      select ${MOVEMENT_ID}, s.id, k.kind, 'migrated', s.suspended, now()
      from suspended s cross join (values ('reclaim'), ('suspend')) k (kind) where s.suspended > 0`);
  }

  /** Movements do not say what became of released units; the allotment's rule does, unless it was changed since. */
  private async countExpired(runner: QueryRunner): Promise<void> {
    await runner.query(`
      update allotment_slots s
      set expired = least(s.released, (
        select coalesce(sum(quantity), 0) from allotment_movements m
        where m.slot_id = s.id and m.kind = 'release' and m.cause in ('step', 'hand')))
      from allotments a where a.id = s.allotment_id and a.type = 'guaranteed' and a.unsold_action = 'expire'`);
  }
}
