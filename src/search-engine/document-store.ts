import { Column } from './columns.js';
import type { DocumentView } from './document-view.js';
import { type Coordinates, type Filterable, filterMask, type Filter } from './filters.js';
import { GrowableArray } from './growable-array.js';
import { type Field, scalarsOf, type Schema } from './schema.js';

type Fields = DocumentView['fields'];

/** The amounts used to sort a document, in order of preference, with their currencies. */
const PRICES = [
  ['priceFromAmountCents', 'priceFromCurrency'],
  ['sellAmountCents', 'sellCurrency'],
  ['lowestCabinPriceCents', 'priceFromCurrency'],
  ['lowestPriceCents', 'priceFromCurrency'],
] as const;

/**
 * The documents of an index in the order of their arrival, with columns for filters, counts and sorting. The position in this
 * order is the ordinal of a document. A replaced document gets a new ordinal, and the old one becomes inactive.
 */
export class DocumentStore implements Filterable {
  private readonly views: (DocumentView | null)[] = [];
  private readonly ordinals = new Map<string, number>();
  private live = new Uint8Array(64);
  private readonly columns = new Map<string, Column>();
  private readonly filterable: readonly (readonly [string, Field])[];
  /** These columns are NaN if a value is missing. */
  readonly prices = GrowableArray.float64(64);
  readonly publishedAt = GrowableArray.float64(64);
  readonly nextDepartures = GrowableArray.float64(64);
  readonly startDates = GrowableArray.float64(64);
  readonly merits = GrowableArray.float64(64);
  liveCount = 0;
  private textLength = 0;

  constructor(
    schema: Schema,
    private readonly currency: string,
  ) {
    this.filterable = [...schema].filter(([, field]) => field.filterable);
    for (const [name] of this.filterable) this.columns.set(name, new Column());
    this.columns.set('id', new Column());
  }

  /** The number of ordinals, including inactive ones. */
  get size(): number {
    return this.views.length;
  }

  get bytes(): number {
    let bytes = this.textLength * 2 + this.size * 200;
    for (const column of this.columns.values()) bytes += column.bytes;
    return bytes;
  }

  /** Returns the ordinal. */
  add(view: DocumentView): number {
    const { id, fields } = view;
    const ordinal = this.views.push(view) - 1;
    this.ordinals.set(id, ordinal);
    if (ordinal === this.live.length) {
      const larger = new Uint8Array(ordinal * 2);
      larger.set(this.live);
      this.live = larger;
    }
    this.live[ordinal] = 1;
    for (const [name, field] of this.filterable) this.columns.get(name)?.add(scalarsOf(field, fields[name]));
    this.columns.get('id')?.add([id]);
    const { price, publishedAt, nextDeparture, startDate, merit } = sortValuesOf(fields, this.currency);
    this.prices.push(price);
    this.publishedAt.push(publishedAt);
    this.nextDepartures.push(nextDeparture);
    this.startDates.push(startDate);
    this.merits.push(merit);
    this.liveCount += 1;
    this.textLength += view.length;
    return ordinal;
  }

  /** Returns the removed document; null if there was none. */
  remove(id: string): { ordinal: number; view: DocumentView } | null {
    const ordinal = this.ordinals.get(id);
    const view = ordinal === undefined ? null : (this.views[ordinal] ?? null);
    if (ordinal === undefined || view === null) return null;
    this.views[ordinal] = null;
    this.live[ordinal] = 0;
    this.ordinals.delete(id);
    this.liveCount -= 1;
    return { ordinal, view };
  }

  at(ordinal: number): DocumentView | null {
    return this.views[ordinal] ?? null;
  }

  ordinalOf(id: string): number | null {
    return this.ordinals.get(id) ?? null;
  }

  all(): DocumentView[] {
    return this.views.filter((view) => view !== null);
  }

  column(field: string): Column | null {
    return this.columns.get(field) ?? null;
  }

  coordinates(ordinal: number): Coordinates | null {
    const fields = this.at(ordinal)?.fields ?? {};
    const [latitude, longitude] = [numberOf(fields, 'latitude'), numberOf(fields, 'longitude')];
    return latitude === null || longitude === null ? null : [latitude, longitude];
  }

  /** Returns the mask of the live documents that match all filters. The caller must not change it. */
  matching(filters: readonly Filter[]): Uint8Array {
    const live = this.live.subarray(0, this.size);
    if (filters.length === 0) return live;
    const mask = live.slice();
    for (const filter of filters) {
      const matches = filterMask(filter, this);
      for (let ordinal = 0; ordinal < mask.length; ordinal += 1) {
        mask[ordinal] = (mask[ordinal] ?? 0) & (matches[ordinal] ?? 0);
      }
    }
    return mask;
  }
}

/** Returns the values used to sort documents; NaN if one is missing. */
export function sortValuesOf(fields: Fields, currency: string) {
  return {
    price: priceOf(fields, currency),
    publishedAt: Date.parse(textOf(fields, 'publishedAt') ?? textOf(fields, 'createdAt') ?? ''),
    nextDeparture: Date.parse(textOf(fields, 'nextDepartureAt') ?? ''),
    startDate: Date.parse(textOf(fields, 'startDate') ?? textOf(fields, 'earliestVoyageDate') ?? ''),
    /** Is 2 with an upcoming departure, 1 with an offer, and 3 with both. */
    merit: (fields['hasUpcomingDeparture'] === true ? 2 : 0) + (fields['hasOffer'] === true ? 1 : 0),
  };
}

/** An amount in another currency is not a price. */
function priceOf(fields: Fields, expected: string): number {
  for (const [amount, currency] of PRICES) {
    const price = numberOf(fields, amount);
    if (price !== null && (textOf(fields, currency) ?? expected) === expected) return price;
  }
  return NaN;
}

function textOf(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' ? value : null;
}

function numberOf(fields: Fields, name: string): number | null {
  const value = fields[name];
  return typeof value === 'number' ? value : null;
}
