import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { NumberCounters } from './number-counters.service.js';
import { assertShape } from './number-pattern.js';
import type { CreateNumberSeries, UpdateNumberSeries } from './number-series.dto.js';
import { type DocumentType, NumberSeries, SHAPE } from './number-series.entity.js';
import { NumberSeriesJournal } from './number-series-journal.js';
import { NumberSeriesReader } from './number-series-reader.service.js';
import { type NumberSeriesResponse, type NumberSeriesView, toNumberSeries } from './number-series-response.dto.js';

/** Held by whoever changes a series: which one is the default concerns all of them. */
const ONE_AT_A_TIME = `select pg_advisory_xact_lock(hashtextextended('invoice_number_series', 0))`;

@Injectable()
export class NumberSeriesRegister {
  constructor(
    private readonly database: Database,
    private readonly reader: NumberSeriesReader,
    private readonly counters: NumberCounters,
    private readonly journal: NumberSeriesJournal,
    private readonly clock: Clock,
  ) {}

  /** The first of its type is the default unless told otherwise; a new default takes the place of the present one. */
  async create(input: CreateNumberSeries, id = newId('iser')): Promise<NumberSeriesView> {
    const { nextNumber = 1, documentType = 'invoice' } = input;
    return this.database.transaction(async () => {
      await this.database.query(ONE_AT_A_TIME);
      const now = this.clock.now();
      const series = make(NumberSeries, {
        id,
        name: input.name,
        prefix: input.prefix ?? '',
        pattern: input.pattern ?? '{prefix}{SEQ:4}',
        documentType,
        resetPeriod: input.resetPeriod ?? 'never',
        isDefault: input.isDefault ?? !(await this.exists(documentType)),
        active: input.active ?? true,
        version: 1,
        createdAt: now,
        updatedAt: now,
      });
      assertShape(series, nextNumber);
      const displacedDefaultId = series.isDefault && series.active ? await this.clearDefault(series) : null;
      await this.database.insert(series);
      await this.counters.start(series, nextNumber);
      const view = await this.reader.get(id);
      this.journal.record('create', id, { before: null, after: { ...toNumberSeries(view), displacedDefaultId } });
      return view;
    });
  }

  /** Throws 404, 409 `series_in_use`, `series_would_duplicate`, 412. */
  async update(id: string, body: UpdateNumberSeries, expected: ExpectedVersions): Promise<NumberSeriesView> {
    return this.database.transaction(async () => {
      await this.database.query(ONE_AT_A_TIME);
      const isShape = SHAPE.some((field) => body[field] !== undefined);
      const view = await this.lock(id, { isAlone: isShape, expected });
      const { series, isUsed } = view;
      const [before, period] = [toNumberSeries(view), series.resetPeriod];
      const { nextNumber = view.nextNumber, ...changes } = body;

      series.change(changes, { isUsed });
      if (isShape || body.nextNumber !== undefined) assertShape(series, nextNumber);
      series.updatedAt = this.clock.now();
      if (series.isDefault && series.active) await this.clearDefault(series);
      await this.database.update(series);
      if (nextNumber < view.nextNumber) throw wouldDuplicate(view.nextNumber);
      else if (series.resetPeriod !== period) await this.counters.restart(series, nextNumber);
      else if (nextNumber > view.nextNumber) await this.advance(series, nextNumber);
      const after = await this.reader.get(id);
      this.journal.record('update', id, { before, after: toNumberSeries(after) });
      return after;
    });
  }

  /** Throws 404, 409 `series_in_use`, 412. */
  async delete(id: string, expected: ExpectedVersions): Promise<NumberSeriesView> {
    return this.database.transaction(async () => {
      await this.database.query(ONE_AT_A_TIME);
      const view = await this.lock(id, { isAlone: true, expected });
      if (view.isUsed) throw conflict('series_in_use', 'The series has assigned numbers; deactivate it instead');
      await this.counters.drop(id);
      await this.database.repository(NumberSeries).delete({ id });
      this.journal.record('delete', id, { before: toNumberSeries(view), after: null });
      return view;
    });
  }

  /**
   * Gives no numbers from now on, and the default whose place it took is the default again, unless it is gone or idle; the
   * reversal of its creation says so. Throws 404, 409 `series_in_use`, `series_inactive`
   * where it gives none already.
   */
  async undoCreation(
    id: string,
    displacedDefaultId: string | null,
  ): Promise<{ before: NumberSeriesResponse; after: NumberSeriesResponse }> {
    await this.database.query(ONE_AT_A_TIME);
    const view = await this.lock(id, { isAlone: true, expected: null });
    if (view.isUsed) throw conflict('series_in_use', 'The series has assigned numbers');
    if (!view.series.active) throw conflict('series_inactive', 'The series is already inactive');
    const before = toNumberSeries(view);
    Object.assign(view.series, { active: false, updatedAt: this.clock.now() });
    await this.database.update(view.series);
    if (view.series.isDefault && displacedDefaultId !== null) await this.giveDefaultBack(displacedDefaultId);
    const after = toNumberSeries(await this.reader.get(id));
    this.journal.announce('update', id, after);
    return { before, after };
  }

  /**
   * Issues hold the row in share. Whoever changes the shape of numbers, or deletes the series, waits for them (`isAlone`),
   * because the number that is just being given counts; other changes go on beside them.
   */
  private async lock(
    id: string,
    { isAlone, expected }: { isAlone: boolean; expected: ExpectedVersions },
  ): Promise<NumberSeriesView> {
    const strength = isAlone ? 'for update' : 'for no key update';
    await this.database.query(`select from invoice_number_series where id = $1 ${strength}`, [id]);
    const view = await this.reader.get(id);
    assertVersion(expected, view);
    return view;
  }

  private async exists(documentType: DocumentType): Promise<boolean> {
    return this.database.repository(NumberSeries).existsBy({ documentType });
  }

  /** Returns the one that is the default no more. */
  private async clearDefault({ id, documentType }: NumberSeries): Promise<string | null> {
    const present = await this.database
      .repository(NumberSeries)
      .findOneBy({ documentType, isDefault: true, active: true });
    if (!present || present.id === id) return null;
    await this.setDefault(present.id, false);
    return present.id;
  }

  private async giveDefaultBack(id: string): Promise<void> {
    const isUsable = await this.database.repository(NumberSeries).existsBy({ id, active: true });
    if (isUsable) await this.setDefault(id, true);
  }

  private async setDefault(id: string, isDefault: boolean): Promise<void> {
    const view = await this.lock(id, { isAlone: false, expected: null });
    const before = toNumberSeries(view);
    Object.assign(view.series, { isDefault, updatedAt: this.clock.now() });
    await this.database.update(view.series);
    const after = toNumberSeries(await this.reader.get(id));
    this.journal.record('update', id, { before, after });
  }

  private async advance(series: NumberSeries, nextNumber: number): Promise<void> {
    if (await this.counters.advance(series, nextNumber)) return;
    throw wouldDuplicate((await this.reader.get(series.id)).nextNumber);
  }
}

function wouldDuplicate(nextNumber: number) {
  return conflict('series_would_duplicate', 'nextNumber can only be increased', { nextNumber });
}
