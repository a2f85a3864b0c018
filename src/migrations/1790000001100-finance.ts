import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Number.MAX_SAFE_INTEGER: the largest amount that JSON clients read exactly. */
const MAX_CENTS = '9007199254740991';

/** What payments settle: each table with its foreign key in payment_allocations. */
const PAYMENT_TARGETS = [
  ['payment_schedules', 'schedule_id'],
  ['invoices', 'invoice_id'],
  ['supplier_invoices', 'supplier_invoice_id'],
];

/**
 * Supplier invoices, payment plans, invoices to customers, payments and commissions. Sums over several rows are checked
 * by deferred triggers, because a transaction changes the rows one after the other.
 */
export class Finance1790000001100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createSupplierInvoices(runner);
    await this.createPaymentPlans(runner);
    await this.assertPlanSums(runner);
    await this.createNumberSeries(runner);
    await this.createInvoices(runner);
    await this.freezeInvoices(runner);
    await this.createPayments(runner);
    await this.freezePayments(runner);
    await this.assertPaymentSums(runner);
    await this.createCommissions(runner);
    await this.assertCommissions(runner);

    // The last integrity report: verifying whole tables of a large company takes longer than a request may.
    // No entity: one row, which is replaced as a whole.
    await runner.query(`
      create table integrity_report (
        is_only boolean primary key default true check (is_only),
        checked_at timestamptz not null,
        checks jsonb not null check (jsonb_typeof(checks) = 'array')
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop trigger booking_items_bear_commissions on booking_items');
    await runner.query('drop trigger bookings_plan_sum on bookings');
    await runner.query('drop table integrity_report, commission_lines, payment_allocations, payments');
    await runner.query('drop table invoice_renditions, invoice_lines, invoices');
    await runner.query('drop table invoice_number_counters, invoice_number_series');
    await runner.query('drop table payment_schedules_overdue, payment_schedules, payment_plans, payment_policies');
    await runner.query('drop table supplier_invoice_lines, supplier_invoices');
    await runner.query('drop function commission_lines_mirror, commission_lines_within_item, commission_lines_stay');
    await runner.query(
      'drop function assert_target, assert_allocation, assert_payment, assert_own_debt, assert_reversal',
    );
    await runner.query('drop function assert_paid_is_allocated, assert_conserved');
    await runner.query('drop function invoice_lines_immutable, invoices_immutable');
    await runner.query('drop function invoice_number_counters_keep, invoice_number_counters_forward');
    await runner.query('drop function payment_plans_assert_nearer, payment_plans_assert_sum');
  }

  private async createSupplierInvoices(runner: QueryRunner): Promise<void> {
    // `supplier_key` and `number_key`: name and number without differences of case and spaces, for finding duplicates.
    // The index by supplier also finds the invoices that another may be a duplicate of.
    await runner.query(`
      create table supplier_invoices (
        id text primary key,
        supplier_name text not null check (length(supplier_name) between 1 and 255),
        supplier_key text not null check (supplier_key <> ''),
        invoice_number text not null check (length(invoice_number) between 1 and 100),
        number_key text not null check (number_key <> ''),
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        base_currency text check (base_currency ~ '^[A-Z]{3}$'),
        total_cents bigint not null check (total_cents between 0 and ${MAX_CENTS}),
        subtotal_cents bigint not null check (subtotal_cents >= 0),
        tax_cents bigint not null check (tax_cents >= 0),
        exchange_rate numeric check (exchange_rate > 0 and exchange_rate < 1e10 and scale(exchange_rate) <= 10),
        base_total_cents bigint check (base_total_cents between 0 and ${MAX_CENTS}),
        base_subtotal_cents bigint check (base_subtotal_cents >= 0),
        base_tax_cents bigint check (base_tax_cents >= 0),
        paid_cents bigint not null,
        status text not null check (status in ('draft', 'approved', 'paid', 'void')),
        issue_date date not null check (issue_date between '1900-01-01' and '2199-12-31'),
        due_date date check (due_date <= '2199-12-31'),
        notes text check (length(notes) <= 2000),
        approved_at timestamptz,
        approved_by text check (length(approved_by) <= 100),
        voided_at timestamptz,
        void_reason text check (length(void_reason) between 1 and 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint supplier_invoices_total check (subtotal_cents + tax_cents = total_cents),
        constraint supplier_invoices_due check (due_date >= issue_date),
        constraint supplier_invoices_rate check (
          exchange_rate is null or (base_currency is not null and base_currency <> currency)
        ),
        constraint supplier_invoices_base check (
          (base_total_cents is not null) = (exchange_rate is not null or base_currency is not distinct from currency)
          and num_nulls(base_total_cents, base_subtotal_cents, base_tax_cents) in (0, 3)
          and base_subtotal_cents + base_tax_cents = base_total_cents
        ),
        constraint supplier_invoices_paid check (
          paid_cents between 0 and total_cents
          and (paid_cents = 0 or status not in ('draft', 'void'))
          and (paid_cents = total_cents or status <> 'paid')
        ),
        constraint supplier_invoices_approval check (
          (approved_at is null) = (approved_by is null)
          and (approved_at is null or status <> 'draft')
          and (approved_at is not null or status in ('draft', 'void'))
        ),
        constraint supplier_invoices_voiding check (
          (voided_at is not null) = (status = 'void') and (void_reason is not null) = (status = 'void')
        )
      );
      create unique index supplier_invoices_live_number on supplier_invoices (supplier_key, number_key)
      where status <> 'void';
      create index supplier_invoices_supplier on supplier_invoices (supplier_key, total_cents, issue_date);
      create index supplier_invoices_status_due on supplier_invoices (status, due_date);
      create index supplier_invoices_search on supplier_invoices
      using gin (supplier_name gin_trgm_ops, invoice_number gin_trgm_ops);
      create index supplier_invoices_created on supplier_invoices (created_at, id);`);
    await runner.query(`
      create table supplier_invoice_lines (
        invoice_id text not null references supplier_invoices,
        position integer not null check (position between 1 and 500),
        description text not null check (length(description) between 1 and 500),
        service_type text not null check (
          service_type in ('transport', 'flight', 'accommodation', 'guide', 'meal', 'experience', 'insurance', 'other')
        ),
        quantity integer not null check (quantity >= 1),
        unit_amount_cents bigint not null check (unit_amount_cents >= 0),
        tax_amount_cents bigint not null check (tax_amount_cents >= 0),
        total_amount_cents bigint not null,
        primary key (invoice_id, position),
        constraint supplier_invoice_lines_total check (total_amount_cents = quantity * unit_amount_cents + tax_amount_cents)
      )`);
  }

  private async createPaymentPlans(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table payment_policies (
        id text primary key check (id = 'organization'),
        steps jsonb not null check (jsonb_typeof(steps) = 'array' and jsonb_array_length(steps) between 1 and 12),
        minimum_days integer not null check (minimum_days between 0 and 3650),
        floor_days integer not null check (floor_days between 0 and 3650),
        no_date_days integer check (no_date_days between 0 and 3650),
        round_to_cents bigint check (round_to_cents between 1 and ${MAX_CENTS}),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      )`);

    // `off_by_cents`: an imported plan may differ from the total of its booking by a known amount, which never grows.
    await runner.query(`
      create table payment_plans (
        id text primary key,
        booking_id text not null references bookings,
        plan_version integer not null check (plan_version >= 1),
        policy jsonb check (jsonb_typeof(policy) = 'object'),
        source text not null check (source in ('request', 'booking', 'organization', 'none')),
        total_cents bigint not null check (total_cents between 0 and ${MAX_CENTS}),
        off_by_cents bigint not null default 0,
        is_current boolean not null,
        created_at timestamptz not null,
        constraint payment_plans_version unique (booking_id, plan_version),
        constraint payment_plans_of_booking unique (id, booking_id, plan_version),
        constraint payment_plans_policy check ((policy is null) = (source = 'none'))
      );
      create unique index payment_plans_current on payment_plans (booking_id) where is_current;`);

    await runner.query(`
      create table payment_schedules (
        id text primary key,
        booking_id text not null,
        plan_id text not null,
        plan_version integer not null,
        currency text not null,
        position integer not null check (position >= 1),
        type text not null check (type in ('deposit', 'installment', 'balance', 'amendment', 'other')),
        label text not null check (length(label) between 1 and 120),
        basis text not null check (basis in ('booking', 'departure', 'full', 'amendment', 'manual')),
        due_date date not null check (due_date between '1900-01-01' and '2199-12-31'),
        amount_cents bigint not null check (amount_cents between 1 and ${MAX_CENTS}),
        paid_cents bigint not null,
        status text not null check (status in ('pending', 'paid', 'cancelled')),
        waived boolean not null,
        notes text check (length(notes) <= 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint payment_schedules_plan foreign key (plan_id, booking_id, plan_version)
          references payment_plans (id, booking_id, plan_version),
        constraint payment_schedules_currency foreign key (booking_id, currency) references bookings (id, currency),
        constraint payment_schedules_position unique (plan_id, position),
        constraint payment_schedules_paid check (paid_cents between 0 and amount_cents),
        constraint payment_schedules_settled check (
          (status = 'paid') = (paid_cents = amount_cents and status <> 'cancelled')
        ),
        constraint payment_schedules_cancelled check (status <> 'cancelled' or paid_cents = 0),
        constraint payment_schedules_waived check (not waived or status = 'cancelled')
      );
      create index payment_schedules_booking on payment_schedules (booking_id, due_date, position);
      create index payment_schedules_due on payment_schedules (due_date) where status = 'pending';`);

    // The due dates for which payment_schedule.overdue was published: once each, even if a due date is restored later.
    // No entity: the statement that finds overdue installments inserts the rows.
    await runner.query(`
      create table payment_schedules_overdue (
        schedule_id text not null references payment_schedules on delete cascade,
        due_date date not null,
        told_at timestamptz not null,
        primary key (schedule_id, due_date)
      )`);
  }

  /** The installments of a current plan add up to the total of its booking, unless the booking is cancelled. */
  private async assertPlanSums(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function payment_plans_assert_sum() returns trigger language plpgsql as $$
      declare
        booking text;
        expected bigint;
        actual bigint;
      begin
        if tg_table_name = 'bookings' then booking := new.id;
        elsif tg_op = 'DELETE' then booking := old.booking_id;
        else booking := new.booking_id;
        end if;
        select coalesce(b.total_cents, 0) + p.off_by_cents,
               (select coalesce(sum(s.amount_cents), 0) from payment_schedules s
                where s.plan_id = p.id and (s.status <> 'cancelled' or s.waived))
          into expected, actual
          from payment_plans p join bookings b on b.id = p.booking_id
          where p.booking_id = booking and p.is_current and b.status <> 'cancelled';
        if expected <> actual then
          raise exception 'The plan of booking % adds up to %, not to %', booking, actual, expected
            using errcode = '23514', constraint = 'payment_plans_sum';
        end if;
        return null;
      end $$`);

    // Payments change `paid_cents` and the status between pending and paid, which do not affect the sum.
    await runner.query(`
      create constraint trigger payment_schedules_sum after insert or delete on payment_schedules
      deferrable initially deferred for each row execute function payment_plans_assert_sum();
      create constraint trigger payment_schedules_changed_sum after update on payment_schedules
      deferrable initially deferred for each row when (
        old.amount_cents <> new.amount_cents or old.waived <> new.waived or old.plan_id <> new.plan_id
        or (old.status = 'cancelled') <> (new.status = 'cancelled')
      ) execute function payment_plans_assert_sum();
      create constraint trigger payment_plans_sum after insert or update on payment_plans
      deferrable initially deferred for each row execute function payment_plans_assert_sum();
      create constraint trigger bookings_plan_sum after update on bookings
      deferrable initially deferred for each row when (
        old.total_cents is distinct from new.total_cents or old.status is distinct from new.status
      ) execute function payment_plans_assert_sum();`);

    await runner.query(`
      create function payment_plans_assert_nearer() returns trigger language plpgsql as $$
      begin
        raise exception 'A plan that is off by % cannot become off by %', old.off_by_cents, new.off_by_cents
          using errcode = '23514', constraint = 'payment_plans_nearer';
      end $$;
      create trigger payment_plans_nearer before update on payment_plans for each row
      when (abs(new.off_by_cents) > abs(old.off_by_cents)) execute function payment_plans_assert_nearer();`);
  }

  private async createNumberSeries(runner: QueryRunner): Promise<void> {
    // The index of numbers finds other series that would assign the same ones.
    await runner.query(`
      create table invoice_number_series (
        id text primary key,
        name text not null check (length(name) between 1 and 120),
        prefix text not null check (length(prefix) <= 50),
        pattern text not null check (length(pattern) between 1 and 100),
        document_type text not null check (document_type in ('invoice', 'proforma', 'credit_note')),
        reset_period text not null check (reset_period in ('never', 'yearly', 'monthly')),
        is_default boolean not null,
        active boolean not null,
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null
      );
      create unique index invoice_number_series_default on invoice_number_series (document_type) where is_default and active;
      create index invoice_number_series_numbers on invoice_number_series
      (document_type, replace(pattern, '{prefix}', prefix));
      create index invoice_number_series_created on invoice_number_series (created_at, id);`);

    // One counter per period. The last number is 999999999999; the next one is then beyond the range of numbers.
    // No entity: counters are created and advanced by conditional upserts.
    await runner.query(`
      create table invoice_number_counters (
        series_id text not null references invoice_number_series,
        period_key text not null check (period_key ~ '^(all|\\d{4}(-\\d{2})?)$'),
        next_number bigint not null,
        given integer not null default 0 check (given >= 0),
        last_issue_date date,
        primary key (series_id, period_key),
        constraint invoice_number_counters_range check (next_number between 1 and 1000000000000),
        constraint invoice_number_counters_issued check ((given > 0) = (last_issue_date is not null))
      )`);

    // A number must never be assigned twice, so counters only increase, and one that assigned numbers is not deleted.
    await runner.query(`
      create function invoice_number_counters_forward() returns trigger language plpgsql as $$
      begin
        if new.next_number < old.next_number or new.given < old.given or new.last_issue_date < old.last_issue_date
          or (old.last_issue_date is not null and new.last_issue_date is null)
          or (new.series_id, new.period_key) is distinct from (old.series_id, old.period_key) then
          raise exception 'A counter of invoice numbers only goes forward'
            using errcode = '23514', constraint = 'invoice_number_counters_forward';
        end if;
        return new;
      end $$;
      create trigger invoice_number_counters_forward before update on invoice_number_counters
      for each row execute function invoice_number_counters_forward();`);
    await runner.query(`
      create function invoice_number_counters_keep() returns trigger language plpgsql as $$
      begin
        if old.given > 0 then
          raise exception 'A counter that gave numbers stays'
            using errcode = '23514', constraint = 'invoice_number_counters_keep';
        end if;
        return old;
      end $$;
      create trigger invoice_number_counters_keep before delete on invoice_number_counters
      for each row execute function invoice_number_counters_keep();`);
  }

  private async createInvoices(runner: QueryRunner): Promise<void> {
    // A void invoice keeps its number, which is not assigned again.
    await runner.query(`
      create table invoices (
        id text primary key,
        type text not null check (type in ('invoice', 'proforma', 'credit_note')),
        booking_id text not null,
        schedule_id text references payment_schedules,
        status text not null check (status in ('draft', 'issued', 'partially_paid', 'paid', 'void')),
        number text check (length(number) >= 1) constraint invoices_number_length check (length(number) <= 50),
        series_id text references invoice_number_series,
        period_key text,
        sequence bigint check (sequence > 0),
        issue_date date check (issue_date between '1900-01-01' and '2199-12-31'),
        due_date date check (due_date between '1900-01-01' and '2199-12-31'),
        payer_name text not null check (length(payer_name) between 1 and 255),
        payer_address text check (length(payer_address) between 1 and 1000),
        payer_tax_id text check (length(payer_tax_id) between 1 and 50),
        seller_name text check (length(seller_name) between 1 and 500),
        seller_address text check (length(seller_address) <= 500),
        seller_tax_id text check (length(seller_tax_id) <= 50),
        currency text not null,
        subtotal_cents bigint not null,
        tax_cents bigint not null,
        total_cents bigint not null check (total_cents between 0 and ${MAX_CENTS}),
        paid_cents bigint not null,
        issued_at timestamptz,
        voided_at timestamptz,
        void_reason text check (length(void_reason) between 1 and 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint invoices_booking foreign key (booking_id, currency) references bookings (id, currency),
        constraint invoices_series_sequence unique (series_id, period_key, sequence),
        constraint invoices_type_number unique (type, number),
        constraint invoices_total check (subtotal_cents + tax_cents = total_cents),
        constraint invoices_due check (due_date >= issue_date),
        constraint invoices_numbered check (
          num_nulls(number, series_id, period_key, sequence, issue_date, issued_at, seller_name) in (0, 7)
          and (number is null or status <> 'draft')
          and (number is not null or status in ('draft', 'void'))
          and (number is null or due_date is not null)
        ),
        constraint invoices_paid check (
          paid_cents between 0 and total_cents
          and case status
            when 'partially_paid' then paid_cents > 0 and paid_cents < total_cents
            when 'paid' then paid_cents = total_cents
            when 'issued' then paid_cents = 0 and total_cents > 0
            else paid_cents = 0
          end
        ),
        constraint invoices_voiding check (
          (voided_at is not null) = (status = 'void') and (void_reason is not null) = (status = 'void')
        )
      );
      create unique index invoices_live_schedule on invoices (schedule_id) where status <> 'void';
      create index invoices_booking_id on invoices (booking_id);
      create index invoices_created on invoices (created_at, id);
      create index invoices_status_due on invoices (status, due_date);
      create index invoices_search on invoices using gin (payer_name gin_trgm_ops, number gin_trgm_ops);`);
    await runner.query(`
      create table invoice_lines (
        invoice_id text not null references invoices,
        position integer not null check (position between 1 and 500),
        booking_item_id text references booking_items,
        description text not null check (length(description) between 1 and 500),
        quantity numeric(12, 4) not null check (quantity > 0),
        unit_price_cents bigint not null,
        tax_rate_basis_points integer check (tax_rate_basis_points between 0 and 10000),
        net_cents bigint not null,
        tax_cents bigint not null,
        total_cents bigint not null,
        primary key (invoice_id, position),
        constraint invoice_lines_total check (net_cents + tax_cents = total_cents),
        constraint invoice_lines_net check (net_cents = round(quantity * unit_price_cents)),
        constraint invoice_lines_tax check (
          tax_rate_basis_points is null or tax_cents = round(net_cents * tax_rate_basis_points / 10000.0)
        )
      );
      create index invoice_lines_booking_item on invoice_lines (booking_item_id) where booking_item_id is not null;`);

    // Rendered files. One per format and language is ready, older ones are stale.
    await runner.query(`
      create table invoice_renditions (
        id text primary key,
        invoice_id text not null references invoices,
        format text not null check (format in ('html', 'pdf')),
        language text not null check (language in ('en', 'de', 'fr', 'es', 'it')),
        version integer not null check (version > 0),
        status text not null check (status in ('pending', 'ready', 'stale', 'failed')),
        storage_key text check (storage_key ~ '^[0-9a-f]{64}$'),
        sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
        size_bytes bigint check (size_bytes > 0),
        attempts integer not null check (attempts between 0 and 5),
        failure text check (length(failure) between 1 and 500),
        created_at timestamptz not null,
        ready_at timestamptz,
        constraint invoice_renditions_version unique (invoice_id, format, language, version),
        constraint invoice_renditions_file check (
          num_nulls(storage_key, sha256, size_bytes, ready_at) = case when status in ('ready', 'stale') then 0 else 4 end
        ),
        constraint invoice_renditions_failure check (status <> 'failed' or failure is not null)
      );
      create unique index invoice_renditions_ready on invoice_renditions (invoice_id, format, language)
      where status = 'ready';`);
  }

  /** After an invoice got its number, only its status and what is paid change, and its lines add up to the total. */
  private async freezeInvoices(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function invoices_immutable() returns trigger language plpgsql as $$
      declare
        moving constant text[] := '{status,paid_cents,voided_at,void_reason,version,updated_at}';
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
      end $$;
      create trigger invoices_immutable before update or delete on invoices
      for each row execute function invoices_immutable();`);
    await runner.query(`
      create function invoice_lines_immutable() returns trigger language plpgsql as $$
      begin
        if exists (
          select from invoices where number is not null
            and id in (case when tg_op <> 'INSERT' then old.invoice_id end, case when tg_op <> 'DELETE' then new.invoice_id end)
        ) then
          raise exception 'The lines of an issued invoice stay'
            using errcode = '23514', constraint = 'invoice_lines_immutable';
        end if;
        return case tg_op when 'DELETE' then old else new end;
      end $$;
      create trigger invoice_lines_immutable before insert or update or delete on invoice_lines
      for each row execute function invoice_lines_immutable();`);
  }

  private async createPayments(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table payments (
        id text primary key,
        direction text not null check (direction in ('in', 'out')),
        booking_id text,
        supplier_invoice_id text references supplier_invoices,
        method text not null check (
          method in ('bank_transfer', 'card', 'cash', 'cheque', 'wallet', 'direct_bill', 'other')
        ),
        currency text not null check (currency ~ '^[A-Z]{3}$'),
        amount_cents bigint not null check (amount_cents between 1 and ${MAX_CENTS}),
        unapplied_cents bigint not null,
        paid_on date not null check (paid_on between '1900-01-01' and '2199-12-31'),
        reference text check (length(reference) between 1 and 255),
        source text not null check (source in ('manual', 'schedule_patch')),
        status text not null check (status in ('completed', 'reversed')),
        reversed_at timestamptz,
        reversal_reason text check (length(reversal_reason) between 1 and 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint payments_booking foreign key (booking_id, currency) references bookings (id, currency),
        constraint payments_side check (
          (direction = 'in') = (booking_id is not null) and (direction = 'out') = (supplier_invoice_id is not null)
        ),
        constraint payments_unapplied check (unapplied_cents between 0 and amount_cents),
        constraint payments_reversal check (
          (reversed_at is not null) = (status = 'reversed') and (reversal_reason is not null) = (status = 'reversed')
          and (status = 'completed' or unapplied_cents = amount_cents)
        )
      );
      create index payments_booking on payments (booking_id);
      create index payments_supplier_invoice on payments (supplier_invoice_id);
      create index payments_paid_on on payments (paid_on, id);
      create index payments_created on payments (created_at, id);`);

    // `signed_cents` is what a row adds to its targets: a reversal subtracts what the reversed row added. Reports as of
    // a past day read the allocations that became effective after it.
    await runner.query(`
      create table payment_allocations (
        id text primary key,
        payment_id text not null references payments,
        schedule_id text references payment_schedules,
        invoice_id text constraint payment_allocations_invoice references invoices,
        supplier_invoice_id text references supplier_invoices,
        amount_cents bigint not null check (amount_cents between 1 and ${MAX_CENTS}),
        signed_cents bigint not null generated always as (
          case when reverses_id is null then amount_cents else -amount_cents end
        ) stored,
        effective_on date not null check (effective_on between '1900-01-01' and '2199-12-31'),
        reverses_id text references payment_allocations,
        created_at timestamptz not null,
        constraint payment_allocations_target check (
          (schedule_id is not null or invoice_id is not null) <> (supplier_invoice_id is not null)
        ),
        constraint payment_allocations_reversed_once unique (reverses_id)
      );
      create index payment_allocations_payment on payment_allocations (payment_id);
      create index payment_allocations_schedule on payment_allocations (schedule_id) where schedule_id is not null;
      create index payment_allocations_invoice on payment_allocations (invoice_id) where invoice_id is not null;
      create index payment_allocations_supplier_invoice on payment_allocations (supplier_invoice_id)
      where supplier_invoice_id is not null;
      create index payment_allocations_effective_on on payment_allocations (effective_on);`);
  }

  /** Payments and allocations are never edited or deleted: an error is corrected by a row that reverses it, once. */
  private async freezePayments(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create trigger payments_kept before delete or truncate on payments
      for each statement execute function refuse_change();
      create trigger payments_frozen before update on payments for each row
      when (
        old.status = 'reversed'
        or (old.id, old.direction, old.booking_id, old.supplier_invoice_id, old.method, old.currency, old.amount_cents,
            old.paid_on, old.reference, old.source, old.created_at)
          is distinct from
           (new.id, new.direction, new.booking_id, new.supplier_invoice_id, new.method, new.currency, new.amount_cents,
            new.paid_on, new.reference, new.source, new.created_at)
      )
      execute function refuse_change();
      create trigger payment_allocations_append_only before update or delete or truncate on payment_allocations
      for each statement execute function refuse_change();`);
    await runner.query(`
      create function assert_reversal() returns trigger language plpgsql as $$
      begin
        perform from payment_allocations original
        where original.id = new.reverses_id and original.reverses_id is null
          and (original.payment_id, original.schedule_id, original.invoice_id, original.supplier_invoice_id,
               original.amount_cents)
            is not distinct from
              (new.payment_id, new.schedule_id, new.invoice_id, new.supplier_invoice_id, new.amount_cents);
        if not found then
          raise exception 'A reversal repeats the row that it reverses'
            using errcode = 'check_violation', constraint = 'payment_allocations_reversal';
        end if;
        return new;
      end $$;
      create trigger payment_allocations_reversal before insert on payment_allocations for each row
      when (new.reverses_id is not null) execute function assert_reversal();`);

    // A payment settles only its own booking or supplier invoice, in its own currency.
    await runner.query(`
      create function assert_own_debt() returns trigger language plpgsql as $$
      begin
        perform from payments payment
        left join payment_schedules schedule on schedule.id = new.schedule_id
        left join invoices invoice on invoice.id = new.invoice_id
        left join supplier_invoices bill on bill.id = new.supplier_invoice_id
        where payment.id = new.payment_id
          and payment.supplier_invoice_id is not distinct from new.supplier_invoice_id
          and payment.booking_id is not distinct from coalesce(schedule.booking_id, invoice.booking_id)
          and (schedule.booking_id is null or invoice.booking_id is null or schedule.booking_id = invoice.booking_id)
          and payment.currency = coalesce(schedule.currency, invoice.currency, bill.currency);
        if not found then
          raise exception 'A payment settles what it came in for'
            using errcode = 'check_violation', constraint = 'payment_allocations_own_debt';
        end if;
        return new;
      end $$;
      create trigger payment_allocations_own_debt before insert on payment_allocations for each row
      when (num_nonnulls(new.schedule_id, new.invoice_id, new.supplier_invoice_id) > 0)
      execute function assert_own_debt();`);
  }

  /**
   * A payment is the sum of its allocations and of its unapplied amount, and the paid amount of each target is the sum
   * of its allocations. A check of the target limits that to its total.
   */
  private async assertPaymentSums(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function assert_conserved(payment text) returns void language plpgsql as $$
      begin
        perform from payments where id = payment and amount_cents - unapplied_cents = (
          select coalesce(sum(signed_cents), 0) from payment_allocations where payment_id = payment);
        if not found then
          raise exception 'Payment % is not the sum of its allocations and of what is unapplied', payment
            using errcode = 'check_violation', constraint = 'payments_conservation';
        end if;
      end $$`);

    // The result is null if the target was deleted; a target with allocations cannot be deleted.
    await runner.query(`
      create function assert_paid_is_allocated(target_table text, target_column text, target text)
      returns void language plpgsql as $$
      declare
        agrees boolean;
      begin
        execute format(
          'select coalesce(sum(signed_cents), 0) = (select paid_cents from %I where id = $1)
           from payment_allocations where %I = $1', target_table, target_column
        ) into agrees using target;
        if not agrees then
          raise exception 'What is paid on % is not the sum of its allocations', target
            using errcode = 'check_violation', constraint = target_table || '_paid_is_allocated';
        end if;
      end $$`);

    await runner.query(`
      create function assert_payment() returns trigger language plpgsql as $$
      begin
        perform assert_conserved(new.id);
        return null;
      end $$;
      create constraint trigger payments_conservation after insert or update on payments
      deferrable initially deferred for each row execute function assert_payment();`);
    await runner.query(`
      create function assert_allocation() returns trigger language plpgsql as $$
      begin
        perform assert_conserved(new.payment_id);
        if new.schedule_id is not null then
          perform assert_paid_is_allocated('payment_schedules', 'schedule_id', new.schedule_id);
        end if;
        if new.invoice_id is not null then
          perform assert_paid_is_allocated('invoices', 'invoice_id', new.invoice_id);
        end if;
        if new.supplier_invoice_id is not null then
          perform assert_paid_is_allocated('supplier_invoices', 'supplier_invoice_id', new.supplier_invoice_id);
        end if;
        return null;
      end $$;
      create constraint trigger payment_allocations_conservation after insert on payment_allocations
      deferrable initially deferred for each row execute function assert_allocation();`);
    await runner.query(`
      create function assert_target() returns trigger language plpgsql as $$
      begin
        perform assert_paid_is_allocated(tg_table_name, tg_argv[0], new.id);
        return null;
      end $$`);
    for (const [table, column] of PAYMENT_TARGETS) {
      await runner.query(`
        create constraint trigger ${table}_paid_is_allocated after update on ${table}
        deferrable initially deferred for each row when (old.paid_cents <> new.paid_cents)
        execute function assert_target('${column}');
        create constraint trigger ${table}_new_is_allocated after insert on ${table}
        deferrable initially deferred for each row when (new.paid_cents <> 0)
        execute function assert_target('${column}');`);
    }
  }

  private async createCommissions(runner: QueryRunner): Promise<void> {
    // The index of waiting lines finds those that become payable on a date.
    await runner.query(`
      create table commission_lines (
        id text primary key,
        booking_id text not null references bookings on delete restrict,
        booking_item_id text not null,
        currency text not null,
        recipient_type text not null check (recipient_type in (
          'channel', 'affiliate', 'agency', 'agent', 'internal', 'supplier', 'other'
        )),
        recipient_name text not null check (length(recipient_name) between 1 and 255),
        recipient_id text check (length(recipient_id) between 1 and 100),
        channel_id text references channels on delete restrict,
        commission_model text not null check (commission_model in ('percentage', 'fixed', 'markup', 'net')),
        basis text check (basis in ('net_sell', 'gross_sell', 'margin')),
        rate_basis_points integer check (rate_basis_points between 0 and 10000),
        fixed_cents bigint check (fixed_cents between 0 and ${MAX_CENTS}),
        per_unit boolean not null,
        net_rate_cents bigint check (net_rate_cents between 0 and ${MAX_CENTS}),
        base_cents bigint not null check (base_cents between 0 and ${MAX_CENTS}),
        amount_cents bigint not null check (amount_cents between -${MAX_CENTS} and ${MAX_CENTS}),
        computed_at timestamptz not null,
        payable_trigger text not null check (payable_trigger in ('paid_in_full', 'departed', 'both')),
        status text not null check (status in ('pending', 'accrued', 'payable', 'paid', 'void')),
        payable_at timestamptz,
        paid_on date check (paid_on between '1900-01-01' and '2199-12-31'),
        paid_at timestamptz,
        payout_reference text check (length(payout_reference) between 1 and 255),
        voided_at timestamptz,
        void_reason text check (length(void_reason) between 1 and 2000),
        reverses_id text constraint commission_lines_reverses_id unique references commission_lines on delete restrict,
        notes text check (length(notes) <= 2000),
        version integer not null check (version > 0),
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint commission_lines_item foreign key (booking_item_id, currency)
          references booking_items (id, currency) on delete restrict on update restrict,
        constraint commission_lines_model check (
          (basis is not null) = (commission_model = 'percentage')
          and (rate_basis_points is not null) = (commission_model in ('percentage', 'markup'))
          and (fixed_cents is not null) = (commission_model = 'fixed')
          and (net_rate_cents is not null) = (commission_model = 'net')
          and (not per_unit or commission_model = 'fixed')
        ),
        constraint commission_lines_amount check (
          case when reverses_id is null then amount_cents >= 0 else amount_cents < 0 end
        ),
        constraint commission_lines_reversal check (
          reverses_id is null or (reverses_id <> id and status in ('payable', 'paid'))
        ),
        constraint commission_lines_payable check ((payable_at is not null) = (status in ('payable', 'paid'))),
        constraint commission_lines_payout check (
          (paid_at is not null) = (status = 'paid') and (paid_on is not null) = (status = 'paid')
          and (payout_reference is null or status = 'paid')
        ),
        constraint commission_lines_voiding check (
          (voided_at is not null) = (status = 'void') and (void_reason is not null) = (status = 'void')
        )
      );
      create index commission_lines_item on commission_lines (booking_item_id, created_at, id);
      create index commission_lines_booking on commission_lines (booking_id);
      create index commission_lines_status on commission_lines (status);
      create index commission_lines_channel_id on commission_lines (channel_id);
      create index commission_lines_waiting on commission_lines (booking_id)
      where status = 'accrued' and payable_trigger <> 'paid_in_full';`);
  }

  private async assertCommissions(runner: QueryRunner): Promise<void> {
    // A commission that was paid out is corrected by a line of the negative amount.
    await runner.query(`
      create function commission_lines_stay() returns trigger language plpgsql as $$
      begin
        if tg_op = 'DELETE' then
          raise exception 'a commission is voided, never deleted'
            using errcode = 'check_violation', constraint = 'commission_lines_stay', table = 'commission_lines';
        elsif old.status = 'paid' then
          raise exception 'commission % was paid out and stays as it is', old.id
            using errcode = 'check_violation', constraint = 'commission_lines_paid_stay', table = 'commission_lines';
        end if;
        return new;
      end $$;
      create trigger commission_lines_stay before update or delete on commission_lines
      for each row execute function commission_lines_stay();`);
    await runner.query(`
      create function commission_lines_mirror() returns trigger language plpgsql as $$
      begin
        if not exists (
          select from commission_lines paid
          where paid.id = new.reverses_id and paid.status = 'paid' and paid.reverses_id is null
            and paid.booking_item_id = new.booking_item_id and paid.amount_cents = -new.amount_cents
        ) then
          raise exception 'commission % does not take back what was paid', new.id
            using errcode = 'check_violation', constraint = 'commission_lines_mirror', table = 'commission_lines';
        end if;
        return new;
      end $$;
      create trigger commission_lines_mirror before insert or update on commission_lines
      for each row when (new.reverses_id is not null) execute function commission_lines_mirror();`);

    // The commissions of an item never exceed its price.
    await runner.query(`
      create function commission_lines_within_item() returns trigger language plpgsql as $$
      declare
        item booking_items;
        earned numeric;
      begin
        if tg_table_name = 'booking_items' then
          select * into item from booking_items where id = new.id;
        else
          select * into item from booking_items where id = new.booking_item_id;
        end if;
        if not found or item.status = 'cancelled' then
          return null;
        end if;
        select sum(amount_cents) into earned from commission_lines
        where booking_item_id = item.id and status <> 'void' and reverses_id is null;
        if earned > item.total_sell_cents then
          raise exception 'the commissions of item % exceed what it is sold for', item.id
            using errcode = 'check_violation', constraint = 'commission_lines_within_item', table = 'commission_lines';
        end if;
        return null;
      end $$;
      create constraint trigger commission_lines_within_item after insert or update on commission_lines
      deferrable initially deferred for each row execute function commission_lines_within_item();
      create constraint trigger booking_items_bear_commissions after update on booking_items
      deferrable initially deferred for each row when (new.total_sell_cents < old.total_sell_cents)
      execute function commission_lines_within_item();`);
  }
}
