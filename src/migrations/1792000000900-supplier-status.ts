import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the external provider of a booking item has confirmed it. Items of booked trips take it from their component. */
export class SupplierStatus1792000000900 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table booking_items add column supplier_status text not null default 'none' check (supplier_status in (
        'none', 'pending', 'confirmed', 'refused', 'cancelling', 'cancelled', 'cancel_failed'))`);
    // An unanswered confirmation was stored as a rejected one until now.
    await runner.query(`
      update booking_items i set supplier_status = case
        when s.status = 'confirmed' then 'confirmed'
        when s.status = 'confirm_failed' and s.failure ->> 'code' <> 'no_answer' then 'refused'
        else 'pending' end
      from trip_components c join reservation_steps s on s.component_id = c.id
      where c.booking_item_id = i.id and c.kind = 'external_order' and i.status <> 'cancelled'
        and s.status in ('confirming', 'confirmed', 'confirm_failed')`);
    await runner.query(`
      create index booking_items_supplier on booking_items (booking_id)
      where supplier_status in ('pending', 'cancelling')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index booking_items_supplier');
    await runner.query('alter table booking_items drop column supplier_status');
  }
}
