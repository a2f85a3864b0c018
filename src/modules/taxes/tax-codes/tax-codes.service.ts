import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { type AppError, conflict, invalidField, unprocessable } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  Reverses,
  type ReversalResult,
} from '../../action-ledger/index.js';
import { type AddTaxRate, type CreateTaxCode, type ListTaxCodes, UpdateTaxCode } from './tax-code.dto.js';
import { TaxCode, type TaxRate } from './tax-code.entity.js';
import type { TaxKind } from './tax-kinds.js';
import { type OtherRateSales, TaxCodeListener } from './tax-code-listener.js';
import { type TaxCodeView, TaxCodesRepository } from './tax-codes.repository.js';

mapConstraint('tax_codes_country_code', () =>
  conflict('tax_code_taken', 'The country already has a tax code with this code', { field: 'code' }),
);
for (const table of [
  'booking_items',
  'departures',
  'trip_components',
  'invoice_lines',
  'products',
  'product_units',
  'product_extras',
]) {
  mapConstraint(`${table}_tax_code`, () => conflict('tax_code_in_use', 'The tax code is in use'));
}

/** The values of a tax code that a sale copies: the rate of its day, and the fields shown on documents. */
export interface TaxOfDay {
  taxCodeId: string;
  taxCode: string;
  taxKind: TaxKind;
  taxRateBasisPoints: number;
}

/** The fields of a tax code shown on documents. */
export interface TaxMention {
  id: string;
  code: string;
  mention: string | null;
}

/** Manages tax codes and their rates over time. */
@Injectable()
export class TaxCodesService {
  constructor(
    private readonly database: Database,
    private readonly repository: TaxCodesRepository,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async create(input: CreateTaxCode, id = newId('taxc'), entryId = newId('aled')): Promise<TaxCodeView> {
    const now = this.clock.now();
    const taxCode = make(TaxCode, {
      id,
      code: input.code,
      name: input.name,
      country: input.country,
      kind: input.kind,
      mention: input.mention,
      active: input.active ?? true,
      createdAt: now,
    });
    taxCode.assertMention();
    for (const [index, rate] of input.rates.entries()) taxCode.assertRate(rate, `rates.${index}.rateBasisPoints`);
    const view = { taxCode, rates: sortedRates(input.rates) };
    return this.database.transaction(async () => {
      await this.repository.insert(view);
      const images = { before: null, after: imageOf(view) };
      this.ledger.recordUnder(entryId, 'finance.tax_code.create', { ...subjectOf(taxCode), ...images });
      this.publish('created', taxCode);
      return view;
    });
  }

  async list(query: ListTaxCodes): Promise<{ views: TaxCodeView[]; total: number }> {
    return this.repository.list(query);
  }

  async get(id: string): Promise<TaxCodeView> {
    return this.repository.get(id);
  }

  async update(id: string, changes: UpdateTaxCode, expected: ExpectedVersions): Promise<TaxCodeView> {
    return this.change({ id, expected, verb: 'update' }, async ({ taxCode, rates }) => {
      taxCode.change(changes, this.clock.now());
      return Promise.resolve(rates);
    });
  }

  /** Also returns the items that were sold before at another rate; listeners mark them. */
  async addRate(
    id: string,
    rate: AddTaxRate,
    expected: ExpectedVersions,
  ): Promise<{ view: TaxCodeView; sold: OtherRateSales }> {
    const sold = { items: 0, bookings: 0 };
    const view = await this.change({ id, expected, verb: 'add_rate' }, async ({ taxCode, rates }) => {
      const all = taxCode.withRate(rates, rate);
      taxCode.change({}, this.clock.now());
      await this.repository.replaceRates(taxCode, all);
      Object.assign(sold, await this.soldAtAnotherRate(id, rate.validFrom));
      return all;
    });
    return { view, sold };
  }

  /** Deletes the tax code if no item, departure, component or document refers to it. */
  @Reverses('finance.tax_code.create', { effect: 'finance.tax_code.update' })
  async reverseCreation({ subjectId }: RecordedAction): Promise<ReversalResult> {
    const view = await this.repository.lock(subjectId);
    await this.repository.delete(view.taxCode);
    this.publish('updated', { ...view.taxCode, active: false });
    return { before: imageOf(view), after: null };
  }

  @Reverses('finance.tax_code.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const restored = await checkedAs(UpdateTaxCode, entry.before);
    const view = await this.repository.lock(entry.subjectId);
    assertUnchangedSince(entry, view.taxCode);
    const before = imageOf(view);
    view.taxCode.change(restored, this.clock.now());
    await this.repository.update(view);
    this.publish('updated', view.taxCode);
    return { before, after: imageOf(view) };
  }

  /** Returns the rate of a tax code on a day. */
  async getRateOn(id: string, day: string, { field, isNew }: { field: string; isNew: boolean }): Promise<TaxOfDay> {
    const view = await this.repository.get(id, { field });
    if (isNew) assertActive(view.taxCode, field);
    const tax = taxOfDay(view, day);
    if (!tax) throw rateMissing({ field, taxCode: view.taxCode.code, day });
    return tax;
  }

  /** Finds the rates of these tax codes on a day; null if there is none. No rate can be added until the transaction ends. */
  async keepRates(ids: readonly string[]): Promise<(id: string, day: string) => TaxOfDay | null> {
    const found = ids.length === 0 ? [] : await this.repository.keepRates(ids);
    const views = new Map(found.map((view) => [view.taxCode.id, view]));
    return (id, day) => {
      const view = views.get(id);
      return view ? taxOfDay(view, day) : null;
    };
  }

  async assertUsable(id: string, field = 'taxCodeId'): Promise<void> {
    const { taxCode } = await this.repository.get(id, { field });
    assertActive(taxCode, field);
  }

  /** Returns the fields shown on documents, by id of the tax code. */
  async mentionsOf(ids: readonly string[]): Promise<Map<string, TaxMention>> {
    const found = ids.length === 0 ? [] : await this.repository.listByIds(ids);
    return new Map(found.map(({ id, code, mention }) => [id, { id, code, mention }]));
  }

  private async change(
    { id, expected, verb }: { id: string; expected: ExpectedVersions; verb: 'update' | 'add_rate' },
    work: (view: TaxCodeView) => Promise<TaxRate[]>,
  ): Promise<TaxCodeView> {
    return this.database.transaction(async () => {
      const view = await this.repository.lock(id);
      assertVersion(expected, view.taxCode);
      const before = imageOf(view);
      const changed = { taxCode: view.taxCode, rates: await work(view) };
      await this.repository.update(changed);
      const images = { before, after: imageOf(changed) };
      this.ledger.record(`finance.tax_code.${verb}`, { ...subjectOf(changed.taxCode), ...images });
      this.publish('updated', changed.taxCode);
      return changed;
    });
  }

  private async soldAtAnotherRate(id: string, validFrom: string): Promise<OtherRateSales> {
    const sums = { items: 0, bookings: 0 };
    for (const listener of this.listeners.all(TaxCodeListener)) {
      const { items, bookings } = (await listener.rateAdded?.(id, validFrom)) ?? { items: 0, bookings: 0 };
      Object.assign(sums, { items: sums.items + items, bookings: sums.bookings + bookings });
    }
    return sums;
  }

  private publish(what: 'created' | 'updated', taxCode: Pick<TaxCode, 'id' | 'code' | 'active' | 'version'>): void {
    const { id: taxCodeId, code, active, version } = taxCode;
    const data = { taxCodeId, code, active, version };
    this.outbox.add({ channel: 'finance.tax_codes', event: `tax_code.${what}`, data });
  }
}

function subjectOf({ id }: TaxCode) {
  return { subjectType: 'tax_code', subjectId: id };
}

function imageOf({ taxCode, rates }: TaxCodeView): object {
  return taxCode.auditImage(rates);
}

function taxOfDay({ taxCode, rates }: TaxCodeView, day: string): TaxOfDay | null {
  const rate = rates.find(({ validFrom, validTo }) => validFrom <= day && (validTo === null || validTo >= day));
  if (!rate) return null;
  const { id: taxCodeId, code, kind } = taxCode;
  return { taxCodeId, taxCode: code, taxKind: kind, taxRateBasisPoints: rate.rateBasisPoints };
}

/** The error for a day without a rate. */
export function rateMissing(details: { field: string; taxCode: string; day: string }): AppError {
  return unprocessable('tax_rate_missing', 'The tax code has no rate on that day', details);
}

function assertActive({ active, code }: TaxCode, field: string): void {
  if (!active) throw conflict('tax_code_inactive', 'The tax code is inactive', { field, taxCode: code });
}

function sortedRates(sent: CreateTaxCode['rates']): TaxRate[] {
  const order = sent.map(({ validFrom }, index) => ({ validFrom, index }));
  order.sort((a, b) => (a.validFrom < b.validFrom ? -1 : Number(a.validFrom > b.validFrom)));
  const rates: TaxRate[] = [];
  for (const { index } of order) {
    const { rateBasisPoints, validFrom, validTo = null } = sent[index] ?? { rateBasisPoints: 0, validFrom: '' };
    if (validTo !== null && validTo < validFrom) {
      throw invalidField(`rates.${index}.validTo`, 'validTo must not be before validFrom', 'end_before_start');
    }
    const last = rates.at(-1);
    if (last && (last.validTo === null || last.validTo >= validFrom)) {
      throw invalidField(`rates.${index}.validFrom`, 'The days of two rates overlap', 'rates_overlap');
    }
    rates.push({ rateBasisPoints, validFrom, validTo });
  }
  return rates;
}
