import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { make } from '../../../../platform/database/rows.js';
import { type AppError, conflict, invalidField, notFound } from '../../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../../platform/errors/database-errors.js';
import { assertVersion, type ExpectedVersions } from '../../../../platform/http/if-match.js';
import { newId } from '../../../../platform/ids/id.js';
import { Outbox } from '../../../../platform/outbox/outbox.js';
import { ActionLedger, type RecordedAction, type ReversalResult, Reverses } from '../../../action-ledger/index.js';
import type { NumberSource } from './next-number.sql.js';
import { assertShape, frameOf, periodKeyOf } from './number-pattern.js';
import {
  type CreateNumberSeries,
  type ListNumberSeries,
  type ReadSequenceReport,
  type ReleaseDate,
  type SequenceEntry,
  UpdateNumberSeries,
} from './number-series.dto.js';
import { type DocumentType, NumberSeries, type NumberSeriesView, SHAPE } from './number-series.entity.js';
import { NumberSeriesRepository } from './number-series.repository.js';

mapConstraint('invoice_number_counters_range', () =>
  conflict('series_exhausted', 'The series is exhausted; create a new one'),
);

const EVENTS = { create: 'created', update: 'updated', delete: 'deleted' } as const;
type Verb = keyof typeof EVENTS;

const DEFAULTS = [
  { documentType: 'invoice', name: 'Invoices', prefix: 'INV-' },
  { documentType: 'credit_note', name: 'Credit notes', prefix: 'CN-' },
] as const;

/** Manages series of invoice numbers, and selects the series that an issue uses. */
@Injectable()
export class NumberSeriesService {
  constructor(
    private readonly database: Database,
    private readonly repository: NumberSeriesRepository,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /**
   * The first series of its type is the default unless the input sets `isDefault` to false; a new default replaces the
   * present one.
   */
  async create(input: CreateNumberSeries, id = newId('iser')): Promise<NumberSeriesView> {
    const { nextNumber = 1, documentType = 'invoice' } = input;
    return this.database.transaction(async () => {
      await this.repository.lockAll();
      const now = this.clock.now();
      const series = make(NumberSeries, {
        id,
        name: input.name,
        prefix: input.prefix ?? '',
        pattern: input.pattern ?? '{prefix}{SEQ:4}',
        documentType,
        resetPeriod: input.resetPeriod ?? 'never',
        isDefault: input.isDefault ?? !(await this.repository.existsFor(documentType)),
        active: input.active ?? true,
        createdAt: now,
      });
      assertShape(series, nextNumber);
      const displacedDefaultId = await this.displaceDefault(series);
      await this.repository.rows.insert(series);
      await this.repository.startCounter(series, nextNumber);
      const view = await this.repository.get(id);
      this.record('create', id, { before: null, after: { ...series.auditImage(view), displacedDefaultId } });
      this.publish('create', view);
      return view;
    });
  }

  async list(query: ListNumberSeries): Promise<{ views: NumberSeriesView[]; total: number }> {
    return this.repository.list(query);
  }

  async get(id: string): Promise<NumberSeriesView> {
    return this.repository.get(id);
  }

  async update(id: string, body: UpdateNumberSeries, expected: ExpectedVersions): Promise<NumberSeriesView> {
    return this.database.transaction(async () => {
      await this.repository.lockAll();
      const changesShape = SHAPE.some((field) => body[field] !== undefined);
      const view = await this.repository.lock(id, { excludesIssues: changesShape });
      assertVersion(expected, view);
      const { series } = view;
      const [before, oldPeriod] = [series.auditImage(view), series.resetPeriod];
      const { nextNumber = view.nextNumber, reason = null, ...changes } = body;

      series.change(changes, view, this.clock.now());
      if (changesShape || body.nextNumber !== undefined) assertShape(series, nextNumber);
      if (nextNumber < view.nextNumber) throw wouldDuplicate(view.nextNumber);
      assertExplained(nextNumber - view.nextNumber, reason);
      await this.displaceDefault(series);
      await this.repository.rows.update(series);
      if (series.resetPeriod !== oldPeriod) await this.repository.restartCounter(series, nextNumber);
      else if (nextNumber > view.nextNumber) await this.advance(series, nextNumber, reason);
      return this.recordUpdate(id, before);
    });
  }

  /** Creates one series for invoices and one for credit notes, unless they exist. */
  async provideDefaults(): Promise<void> {
    for (const { documentType, ...series } of DEFAULTS) {
      if (await this.repository.existsFor(documentType)) continue;
      await this.create({ ...series, documentType, pattern: '{prefix}{YYYY}-{SEQ:4}', resetPeriod: 'yearly' });
    }
  }

  /** Releases the issue date of a document: it no longer counts for the order of dates, but its number stays used. */
  async releaseDate(
    id: string,
    { invoiceId, reason }: ReleaseDate,
    expected: ExpectedVersions,
  ): Promise<NumberSeriesView> {
    return this.database.transaction(async () => {
      const locked = await this.repository.lock(id, { excludesIssues: false });
      assertVersion(expected, locked);
      const { series } = locked;
      const document = await this.repository.findDocument(id, invoiceId);
      if (!document) throw notFound({ field: 'invoiceId' });
      const { status, number, periodKey, issueDate, isReleased } = document;
      if (status !== 'void' && status !== 'credited') {
        throw conflict('document_still_open', 'Void the document or credit it in full first', { invoiceId, status });
      }
      if (isReleased) throw conflict('date_already_released', 'The date of the document is released already');
      await this.repository.releaseDate(id, document, reason);
      series.change({}, { isUsed: true }, this.clock.now());
      await this.repository.rows.update(series);
      const view = await this.repository.get(id);
      const lastIssueDate = await this.repository.lastIssueDate(id, periodKey);
      this.ledger.record('finance.invoice_number_series.release_date', {
        subjectType: 'invoice_number_series',
        subjectId: id,
        after: { id, invoiceId, number, periodKey, issueDate, lastIssueDate },
        reason,
      });
      this.publish('update', view);
      return view;
    });
  }

  async sequenceReport(id: string, query: ReadSequenceReport): Promise<{ rows: SequenceEntry[]; total: number }> {
    const { series } = await this.repository.get(id);
    return this.repository.sequence(series, query);
  }

  /** Deletes a series that has assigned no number. */
  async delete(id: string, expected: ExpectedVersions): Promise<NumberSeriesView> {
    return this.database.transaction(async () => {
      await this.repository.lockAll();
      const view = await this.repository.lock(id, { excludesIssues: true });
      assertVersion(expected, view);
      if (view.isUsed) throw conflict('series_in_use', 'The series has assigned numbers; deactivate it instead');
      await this.repository.delete(id);
      this.record('delete', id, { before: view.series.auditImage(view), after: null });
      this.publish('delete', view);
      return view;
    });
  }

  /**
   * Deactivates a series that has assigned no number. The series that it replaced as the default becomes the default again if
   * it still exists and is active.
   */
  @Reverses('finance.invoice_number_series.create', { effect: 'finance.invoice_number_series.update' })
  async reverseCreation({ subjectId: id, after: created }: RecordedAction): Promise<ReversalResult> {
    await this.repository.lockAll();
    const view = await this.repository.lock(id, { excludesIssues: true });
    const { series, isUsed } = view;
    if (isUsed) throw conflict('series_in_use', 'The series has assigned numbers');
    if (!series.active) throw conflict('series_inactive', 'The series is already inactive');
    const before = series.auditImage(view);
    series.change({ active: false }, view, this.clock.now());
    await this.repository.rows.update(series);
    const displacedDefaultId = created?.['displacedDefaultId'];
    if (series.isDefault && typeof displacedDefaultId === 'string') await this.restoreDefault(displacedDefaultId);
    const reversed = await this.repository.get(id);
    this.publish('update', reversed);
    return { before, after: reversed.series.auditImage(reversed) };
  }

  /** Locks the series of which `numberSourceOf` chooses one: the given one, or the active ones of the type. */
  async lockForIssue(documentType: DocumentType, seriesId: string | null): Promise<NumberSeries[]> {
    return seriesId === null
      ? this.repository.lockActiveForIssue(documentType)
      : this.repository.lockGivenForIssue(seriesId);
  }

  /** Makes the error for a `NEXT_NUMBER` that returned no row. */
  async outOfSequence({ seriesId, periodKey }: NumberSource): Promise<AppError> {
    const lastIssueDate = await this.repository.lastIssueDate(seriesId, periodKey);
    return conflict('issue_date_out_of_sequence', 'The series has a document with a later issue date', {
      lastIssueDate,
    });
  }

  private async advance(series: NumberSeries, nextNumber: number, reason: string | null): Promise<void> {
    const present = await this.repository.lockCounter(series);
    if (present > nextNumber) throw wouldDuplicate(present);
    if (present === nextNumber) return;
    await this.repository.advanceCounter(series, nextNumber);
    const gap = { from: present, to: nextNumber - 1, reason };
    await this.repository.recordGap(series, gap);
    this.ledger.record('finance.invoice_number_series.record_gap', {
      subjectType: 'invoice_number_series',
      subjectId: series.id,
      after: gap,
      reason,
    });
  }

  /** If the series is an active default, the current one stops being the default. Returns the current one's id. */
  private async displaceDefault({ id, documentType, isDefault, active }: NumberSeries): Promise<string | null> {
    const present = isDefault && active ? await this.repository.findActiveDefault(documentType) : null;
    if (!present || present.id === id) return null;
    await this.setDefault(present.id, false);
    return present.id;
  }

  private async restoreDefault(id: string): Promise<void> {
    const series = await this.repository.rows.find(id);
    if (series?.active) await this.setDefault(id, true);
  }

  private async setDefault(id: string, isDefault: boolean): Promise<void> {
    const view = await this.repository.lock(id, { excludesIssues: false });
    const before = view.series.auditImage(view);
    view.series.change({ isDefault }, view, this.clock.now());
    await this.repository.rows.update(view.series);
    await this.recordUpdate(id, before);
  }

  private async recordUpdate(id: string, before: object): Promise<NumberSeriesView> {
    const view = await this.repository.get(id);
    this.record('update', id, { before, after: view.series.auditImage(view) });
    this.publish('update', view);
    return view;
  }

  private record(verb: Verb, id: string, change: { before: object | null; after: object | null }): void {
    const subject = { subjectType: 'invoice_number_series', subjectId: id };
    this.ledger.record(`finance.invoice_number_series.${verb}`, { ...subject, ...change });
  }

  private publish(verb: Verb, { series: { id, active }, version }: NumberSeriesView): void {
    this.outbox.add({
      channel: 'finance.invoice-number-series',
      event: `invoice_number_series.${EVENTS[verb]}`,
      data: { invoiceNumberSeriesId: id, active, version },
    });
  }
}

/** Skipped numbers need a reason. */
function assertExplained(moved: number, reason: string | null): void {
  if (moved <= 1 || reason !== null) return;
  throw invalidField('reason', 'reason is required if nextNumber moves by more than 1', 'reason_required');
}

function wouldDuplicate(nextNumber: number): AppError {
  return conflict('series_would_duplicate', 'nextNumber can only be increased', { nextNumber });
}

/**
 * Returns the source of the number of a document: the given series, otherwise the default of its type, otherwise the only active
 * one. `locked` is from `lockForIssue`.
 */
export function numberSourceOf(
  locked: readonly NumberSeries[],
  { documentType, seriesId, issueDate }: { documentType: DocumentType; seriesId: string | null; issueDate: string },
): NumberSource {
  const series = seriesId === null ? defaultOf(locked, documentType) : givenOf(locked, documentType);
  return {
    seriesId: series.id,
    periodKey: periodKeyOf(series.resetPeriod, issueDate),
    issueDate,
    ...frameOf(series, issueDate),
  };
}

function givenOf([series]: readonly NumberSeries[], documentType: DocumentType): NumberSeries {
  if (!series) throw notFound({ field: 'seriesId' });
  if (series.documentType !== documentType) {
    throw conflict('series_type_mismatch', `The series is for documents of type ${series.documentType}`, {
      documentType: series.documentType,
    });
  }
  if (!series.active) throw conflict('series_inactive', 'The series is not active');
  return series;
}

function defaultOf([first, second]: readonly NumberSeries[], documentType: DocumentType): NumberSeries {
  if (first && (first.isDefault || !second)) return first;
  throw conflict('no_active_series', 'No default series; send seriesId or set a default', { documentType });
}
