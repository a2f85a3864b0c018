import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What may change of a document that has a number. */
const MOVING = '{status,paid_cents,credited_cents,sent_at,sent_on,voided_at,voided_on,void_reason,version,updated_at}';
const MOVING_BEFORE = '{status,paid_cents,voided_at,void_reason,version,updated_at}';

/**
 * Credit notes are rows of `invoices`. Beside them: what a draft was drawn from, when an invoice was sent, and what of
 * an invoice was credited. The balance of an invoice is its total less what is credited and paid.
 */
export class CreditNotes1792000000400 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table invoices
        add column original_invoice_id text references invoices,
        add column reason text check (reason in ('booking_changed', 'cancellation', 'correction', 'goodwill')),
        add column reason_text text check (length(reason_text) between 1 and 2000),
        add column open_reduced_cents bigint check (open_reduced_cents >= 0),
        add column released_cents bigint check (released_cents >= 0),
        add column credited_cents bigint not null default 0,
        add column purpose text check (purpose in ('cancellation_fee')),
        add column sent_at timestamptz,
        add column sent_on date,
        add column lines_source text not null default 'manual' check (lines_source in ('booking', 'schedule', 'manual')),
        add column payer_source text not null default 'manual' check (payer_source in ('customer', 'manual')),
        add column drawn_from jsonb check (jsonb_typeof(drawn_from) = 'object'),
        drop constraint invoices_status_check,
        add constraint invoices_status_check
          check (status in ('draft', 'issued', 'partially_paid', 'paid', 'credited', 'void')),
        drop constraint invoices_paid,
        add constraint invoices_paid check (
          paid_cents >= 0 and credited_cents >= 0 and paid_cents + credited_cents <= total_cents
          and case
            when type <> 'invoice' then paid_cents = 0 and credited_cents = 0
            when status = 'credited' then credited_cents = total_cents and total_cents > 0
            when status = 'paid' then
              paid_cents + credited_cents = total_cents and (paid_cents > 0 or total_cents = 0)
            when status = 'partially_paid' then paid_cents > 0 and paid_cents + credited_cents < total_cents
            when status = 'issued' then paid_cents = 0 and credited_cents < total_cents
            else paid_cents = 0 and credited_cents = 0
          end
        ),
        drop constraint invoices_numbered,
        add constraint invoices_numbered check (
          num_nulls(number, series_id, period_key, sequence, issue_date, issued_at, seller_name) in (0, 7)
          and (number is null or status <> 'draft')
          and (number is not null or status in ('draft', 'void'))
          and (number is null or due_date is not null or type = 'credit_note')
        ),
        add constraint invoices_credit_note check (
          (type = 'credit_note') = (original_invoice_id is not null)
          and (type = 'credit_note') = (reason is not null)
          and (type = 'credit_note') = (reason_text is not null)
          and (type <> 'credit_note' or (
            status in ('draft', 'issued') and total_cents > 0 and schedule_id is null and due_date is null
            and sent_at is null
          ))
        ),
        add constraint invoices_money_moved check (
          num_nulls(open_reduced_cents, released_cents)
            = case when type = 'credit_note' and number is not null then 0 else 2 end
          and open_reduced_cents + released_cents <= total_cents
        ),
        add constraint invoices_sent check (
          (sent_at is null) = (sent_on is null) and (sent_at is null or number is not null)
        );
      create index invoices_original on invoices (original_invoice_id) where original_invoice_id is not null;
      drop index invoices_live_schedule;
      create unique index invoices_live_schedule on invoices (schedule_id)
      where type = 'invoice' and status not in ('void', 'credited');
      alter table invoice_lines
        add column original_position integer check (original_position between 1 and 500);`);
    await this.replaceImmutability(runner, MOVING);
    await this.boundCredits(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger invoices_credits_within_lines on invoices');
    await runner.query('drop trigger invoices_credited_is_sum on invoices');
    await runner.query('drop function invoices_assert_credit, invoices_assert_credited');
    await this.replaceImmutability(runner, MOVING_BEFORE);
    await runner.query(`
      alter table invoice_lines drop column original_position;
      drop index invoices_live_schedule;
      create unique index invoices_live_schedule on invoices (schedule_id) where status <> 'void';
      alter table invoices
        drop constraint invoices_sent,
        drop constraint invoices_money_moved,
        drop constraint invoices_credit_note,
        drop constraint invoices_numbered,
        drop constraint invoices_paid,
        drop constraint invoices_status_check,
        drop column original_invoice_id,
        drop column reason,
        drop column reason_text,
        drop column open_reduced_cents,
        drop column released_cents,
        drop column credited_cents,
        drop column purpose,
        drop column sent_at,
        drop column sent_on,
        drop column lines_source,
        drop column payer_source,
        drop column drawn_from,
        add constraint invoices_status_check check (status in ('draft', 'issued', 'partially_paid', 'paid', 'void')),
        add constraint invoices_numbered check (
          num_nulls(number, series_id, period_key, sequence, issue_date, issued_at, seller_name) in (0, 7)
          and (number is null or status <> 'draft')
          and (number is not null or status in ('draft', 'void'))
          and (number is null or due_date is not null)
        ),
        add constraint invoices_paid check (
          paid_cents between 0 and total_cents
          and case status
            when 'partially_paid' then paid_cents > 0 and paid_cents < total_cents
            when 'paid' then paid_cents = total_cents
            when 'issued' then paid_cents = 0 and total_cents > 0
            else paid_cents = 0
          end
        )`);
  }

  private async replaceImmutability(runner: QueryRunner, moving: string): Promise<void> {
    await runner.query(`
      create or replace function invoices_immutable() returns trigger language plpgsql as $$
      declare
        moving constant text[] := '${moving}';
        lines record;
      begin
        if tg_op = 'DELETE' then
          if old.number is not null then
            raise exception 'An invoice that has a number stays'
              using errcode = '23514', constraint = 'invoices_immutable';
          end if;
          return old;
        end if;
        if old.number is not null and (to_jsonb(new) - moving) is distinct from (to_jsonb(old) - moving) then
          raise exception 'Of an issued invoice only the status and what is paid change'
            using errcode = '23514', constraint = 'invoices_immutable';
        end if;
        if old.status = 'void' then
          raise exception 'A void invoice stays as it is' using errcode = '23514', constraint = 'invoices_immutable';
        end if;
        if old.number is null and new.number is not null then
          select coalesce(sum(net_cents), 0) as net, coalesce(sum(tax_cents), 0) as tax, count(*) as count into lines
          from invoice_lines where invoice_id = new.id;
          if lines.count = 0 or lines.net <> new.subtotal_cents or lines.tax <> new.tax_cents then
            raise exception 'The lines do not add up to the total'
              using errcode = '23514', constraint = 'invoices_sum_of_lines';
          end if;
        end if;
        return new;
      end $$`);
  }

  /** The service locks the booking of the original; the triggers find what was written without that lock. */
  private async boundCredits(runner: QueryRunner): Promise<void> {
    // A line is credited with its own sign, up to its amounts.
    await runner.query(`
      create function invoices_assert_credit() returns trigger language plpgsql as $$
      begin
        perform from invoices original
        where original.id = new.original_invoice_id and original.type = 'invoice' and original.number is not null
          and original.status <> 'void'
          and (original.booking_id, original.currency) = (new.booking_id, new.currency);
        if not found then
          raise exception 'A credit note credits an issued invoice of its booking'
            using errcode = '23514', constraint = 'invoices_credits_issued';
        end if;
        perform from (
          select line.original_position, sum(line.total_cents) as total, sum(line.tax_cents) as tax
          from invoices note join invoice_lines line on line.invoice_id = note.id
          where note.original_invoice_id = new.original_invoice_id and (note.number is not null or note.id = new.id)
          group by line.original_position
        ) credited left join invoice_lines line
          on line.invoice_id = new.original_invoice_id and line.position = credited.original_position
        where line.invoice_id is null
          or credited.total not between least(line.total_cents, 0) and greatest(line.total_cents, 0)
          or credited.tax not between least(line.tax_cents, 0) and greatest(line.tax_cents, 0);
        if found then
          raise exception 'A line is credited with more than its amount'
            using errcode = '23514', constraint = 'invoices_credits_within_lines';
        end if;
        return null;
      end $$;
      create constraint trigger invoices_credits_within_lines after update on invoices
      deferrable initially deferred for each row
      when (new.type = 'credit_note' and old.number is null and new.number is not null)
      execute function invoices_assert_credit();`);
    await runner.query(`
      create function invoices_assert_credited() returns trigger language plpgsql as $$
      declare
        original constant text := coalesce(new.original_invoice_id, new.id);
      begin
        perform from invoices invoice where invoice.id = original and invoice.credited_cents = (
          select coalesce(sum(note.total_cents), 0) from invoices note
          where note.original_invoice_id = original and note.number is not null);
        if not found then
          raise exception 'What is credited of % is not the sum of its credit notes', original
            using errcode = '23514', constraint = 'invoices_credited_is_sum';
        end if;
        return null;
      end $$;
      create constraint trigger invoices_credited_is_sum after update on invoices
      deferrable initially deferred for each row
      when (
        old.credited_cents <> new.credited_cents
        or (new.type = 'credit_note' and old.number is null and new.number is not null)
      )
      execute function invoices_assert_credited();`);
  }
}
