import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger, byReason, Undoes } from '../../action-ledger/index.js';
import { AccountingPeriod, asParameter, BILLED, BilledTaxesService, wrongGroups } from '../books/index.js';
import { IntegrityService } from './integrity.service.js';
import { unbilledReceipts } from '../receivables/index.js';
import { FIGURES_DEFINITION, periodFigures } from './period-figures.sql.js';
import type { Blocker, Figure, PeriodView, PeriodWarning } from './period.dto.js';

const EVENTS = { close: 'closed', reopen: 'reopened', file: 'filed' } as const;

const DAYS = `(select to_date($1, 'YYYY-MM') as first,
  (to_date($1, 'YYYY-MM') + interval '1 month' - interval '1 day')::date as last) month`;

/** Selects bookings with a wrongly billed tax group or rate and a document of the month or an earlier one. */
const CREDIT_DUE = `
  with ${wrongGroups('true', '$2')}
  select booking.id from bookings booking
  where booking.id in (select booking_id from wrong) and booking.status not in ('draft', 'cancelled') and exists (
    select from invoices document
    where document.booking_id = booking.id and ${BILLED} and document.issue_date <= month.last)`;

/**
 * Selects settlements that move money, because something was billed or received, or a fee is due. Others change nothing in the
 * books.
 */
const OPEN_SETTLEMENTS = `
  select settlement.id from cancellation_settlements settlement
  where settlement.status = 'open' and settlement.reinstated_at is null and settlement.cancelled_on <= month.last
    and (
      coalesce(settlement.agreed_fee_cents, 0) > 0
      or exists (
        select from invoices document where document.booking_id = settlement.booking_id
          and document.number is not null and document.status not in ('void', 'credited') and document.total_cents > 0
          and document.type = 'invoice')
      or exists (
        select from payments payment
        where payment.booking_id = settlement.booking_id and payment.status in ('completed', 'requested')))`;

/** Selects series in which numbers up to the month are on no document and in no recorded gap. */
const NUMBER_GAPS = `
  select distinct series_id as id from (
    select series_id, sequence, coalesce(max(last_sequence) over counter, 0) as before, max(issue_date) over counter as day,
      issue_date
    from (
      select series_id, period_key, sequence, sequence as last_sequence, issue_date from invoices where number is not null
      union all
      select series_id, period_key, from_sequence, to_sequence, null from number_gaps
      union all
      select series_id, period_key, next_number, next_number, null from invoice_number_counters
    ) used
    window counter as (
      partition by series_id, period_key order by sequence, last_sequence
      rows between unbounded preceding and 1 preceding)
  ) steps
  where sequence <> before + 1 and coalesce(day, issue_date, month.last) <= month.last`;

/** Closes, reopens and files months of the books. */
@Injectable()
export class PeriodClosingService {
  private readonly rows: Rows<AccountingPeriod>;

  constructor(
    private readonly database: Database,
    private readonly integrity: IntegrityService,
    private readonly billedTaxes: BilledTaxesService,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {
    this.rows = database.rows(AccountingPeriod);
  }

  /** Returns the period with its figures, and its blockers. */
  async get(id: string): Promise<PeriodView> {
    const period = (await this.rows.find(id)) ?? newPeriod(id, this.clock.now());
    if (period.status !== 'open') return this.closed(period);
    const blockers = await this.blockers(id);
    const order = await this.outOfOrder(id);
    return {
      period,
      closable: blockers.length === 0 && order === null,
      blockers,
      warnings: await this.warnings(id),
      figures: await this.figures(id),
    };
  }

  /** Closes a month and stores its figures. It waits for transactions that are posting in the month. */
  async close(id: string, expected: ExpectedVersions): Promise<PeriodView> {
    const orderBefore = await this.outOfOrder(id);
    // Verifies before the lock, because this may take seconds, and only the month that is next.
    const rules = orderBefore === null ? await this.violatedRules() : [];
    return this.change(id, expected, 'close', async (period) => {
      period.close(currentActor().principal, { figuresDefinition: FIGURES_DEFINITION, now: this.clock.now() });
      const order = orderBefore ?? (await this.outOfOrder(id));
      if (order !== null) throw conflict('period_out_of_order', order.message, order.details);
      const blockers = [...rules, ...(await this.openMatters(id))];
      if (blockers.length > 0) {
        throw conflict('period_has_blockers', 'The period cannot be closed before these are resolved', { blockers });
      }
      await this.database.execute(
        `insert into accounting_period_figures (period, name, currency, cents)
         select $1, figure.name, figure.currency, figure.cents
         from ${DAYS} cross join lateral (${periodFigures('month.first', 'month.last')}) figure`,
        [id],
      );
    });
  }

  /** Opens the latest closed month again. */
  @Undoes('finance.period.close', { effect: 'finance.period.reopen', values: byReason })
  async reopen(id: string, reason: string, expected: ExpectedVersions): Promise<PeriodView> {
    const reopening = async (period: AccountingPeriod) => {
      period.reopen(this.clock.now());
      const latest = await this.latestClosed();
      if (latest !== id) throw conflict('period_out_of_order', `The latest closed period is ${latest}`, { latest });
      await this.database.execute('delete from accounting_period_figures where period = $1', [id]);
    };
    await this.change(id, expected, 'reopen', reopening, reason);
    return this.get(id);
  }

  /** Final. */
  async file(id: string, reference: string, expected: ExpectedVersions): Promise<PeriodView> {
    return this.change(id, expected, 'file', async (period) => {
      period.file(reference, currentActor().principal, this.clock.now());
    });
  }

  private async change(
    ...[id, expected, verb, apply, reason = null]: [
      id: string,
      expected: ExpectedVersions,
      verb: keyof typeof EVENTS,
      apply: (period: AccountingPeriod) => Promise<void>,
      reason?: string | null,
    ]
  ): Promise<PeriodView> {
    return this.database.transaction(async () => {
      // Postings of months without a row insert one. This lock prevents that, and waits for inserts in progress.
      await this.database.execute('lock table accounting_periods in share row exclusive mode');
      if (!(await this.rows.find(id))) await this.rows.insert(newPeriod(id, this.clock.now()));
      const period = await this.lock(id);
      assertVersion(expected, period);
      const before = period.auditImage();
      await apply(period);
      await this.save(period);
      const images = { before, after: period.auditImage(), reason };
      this.ledger.record(`finance.period.${verb}`, { subjectType: 'accounting_period', subjectId: id, ...images });
      const data = { period: id, status: period.status, version: period.version };
      this.outbox.add({ channel: 'finance.periods', event: `period.${EVENTS[verb]}`, data });
      return this.closed(period);
    });
  }

  private async lock(id: string): Promise<AccountingPeriod> {
    const text = `select ${this.rows.columns('month')} from accounting_periods month where month.period = $1 for update`;
    const [period] = await this.rows.read({ text, values: [id] });
    if (!period) throw notFound();
    return period;
  }

  private async save(period: AccountingPeriod): Promise<void> {
    await this.database.execute(
      `update accounting_periods set status = $2, closed_at = $3, closed_by = $4, filed_at = $5, filed_by = $6,
         filing_reference = $7, updated_at = $8, figures_definition = $9, version = version + 1
       where period = $1`,
      [
        ...[period.id, period.status, period.closedAt, period.closedBy, period.filedAt, period.filedBy],
        ...[period.filingReference, period.updatedAt, period.figuresDefinition],
      ],
    );
    period.version += 1;
  }

  private async closed(period: AccountingPeriod): Promise<PeriodView> {
    const stored = await this.database.query<Figure>(
      'select name, currency, cents::text from accounting_period_figures where period = $1 order by name, currency',
      [period.id],
    );
    const figures = period.status === 'open' ? await this.figures(period.id) : stored;
    return { period, closable: false, blockers: [], warnings: [], figures };
  }

  private async figures(id: string): Promise<Figure[]> {
    return this.database.query<Figure>(
      `select figure.name, figure.currency, figure.cents::text
       from ${DAYS} cross join lateral (${periodFigures('month.first', 'month.last')}) figure order by 1, 2`,
      [id],
    );
  }

  private async blockers(id: string): Promise<Blocker[]> {
    return [...(await this.violatedRules()), ...(await this.openMatters(id))];
  }

  /** Returns warnings that staff should check before closing; they do not prevent it. */
  private async warnings(id: string): Promise<PeriodWarning[]> {
    const found = await this.database.query<PeriodWarning>(
      `select 'unbilled_receipts' as type, count(*)::integer as count, (array_agg(id order by id))[1:20] as examples
       from ${DAYS} cross join lateral (${unbilledReceipts({ day: 'month.last', known: null })}) receipt`,
      [id],
    );
    return found.filter(({ count }) => count > 0);
  }

  private async violatedRules(): Promise<Blocker[]> {
    const { checks } = await this.integrity.read();
    const violated = checks.filter(({ violations }) => violations > 0).map(({ name }) => name);
    return violated.length === 0
      ? []
      : [{ type: 'integrity', count: violated.length, examples: violated.slice(0, 20) }];
  }

  private async openMatters(id: string): Promise<Blocker[]> {
    const found = await this.database.query<Blocker>(
      `select 'credit_due' as type, count(*)::integer as count, (array_agg(id order by id))[1:20] as examples
       from ${DAYS} cross join lateral (${CREDIT_DUE}) booking
       union all
       select 'open_settlements', count(*)::integer, (array_agg(id order by id))[1:20]
       from ${DAYS} cross join lateral (${OPEN_SETTLEMENTS}) settlement
       union all
       select 'number_gaps', count(*)::integer, (array_agg(id order by id))[1:20]
       from ${DAYS} cross join lateral (${NUMBER_GAPS}) series`,
      [id, asParameter(await this.billedTaxes.rateExcesses(null))],
    );
    return found.filter(({ count }) => count > 0);
  }

  /** Returns the reason why this month is not the next one to close; null if it is. */
  private async outOfOrder(id: string): Promise<{ message: string; details: object & Record<string, unknown> } | null> {
    const [state] = await this.database.query<{ first: string | null; next: string | null; over: boolean }>(
      `select to_char(least(
           (select min(issue_date) from invoices where number is not null), (select min(posting_date) from payments),
           (select min(posting_date) from supplier_invoices), (select min(effective_on) from payment_allocations)
         ), 'YYYY-MM') as first,
         (select to_char(to_date(max(period), 'YYYY-MM') + interval '1 month', 'YYYY-MM') from accounting_periods
          where status <> 'open') as next,
         month.last < $2::date as over
       from ${DAYS}`,
      [id, this.clock.today()],
    );
    const next = state?.next ?? state?.first ?? null;
    if (state?.over !== true) return { message: 'The period has not ended yet', details: { next } };
    return next === id ? null : { message: 'The periods are closed in their order', details: { next } };
  }

  private async latestClosed(): Promise<string | null> {
    const [found] = await this.database.query<{ period: string | null }>(
      `select max(period) as period from accounting_periods where status <> 'open'`,
    );
    return found?.period ?? null;
  }
}

function newPeriod(id: string, now: Date): AccountingPeriod {
  const open = { closedAt: null, closedBy: null, filedAt: null, filedBy: null, filingReference: null };
  const figuresDefinition = FIGURES_DEFINITION;
  return make(AccountingPeriod, { id, status: 'open', ...open, figuresDefinition, createdAt: now });
}
