import type { Field, Fields } from '../fields/registry.js';
import { Column } from './columns.js';
import type { Filterable } from './filter.js';
import { Numbers } from './numbers.js';
import { numberOf, scalarsOf, type ShownDocument, textOf } from './shown-document.js';

const PRICES = [
  ['priceFromAmountCents', 'priceFromCurrency'],
  ['sellAmountCents', 'sellCurrency'],
  ['lowestCabinPriceCents', 'priceFromCurrency'],
  ['lowestPriceCents', 'priceFromCurrency'],
] as const;

/**
 * The documents of a slice in the order in which they came, and what they are filtered, counted and sorted by. A changed one
 * comes again at the end, and what it was before is dead.
 */
export class SliceDocuments implements Filterable {
  private readonly shown: (ShownDocument | null)[] = [];
  private readonly places = new Map<string, number>();
  private marks = new Uint8Array(64);
  private readonly columns = new Map<string, Column>();
  private readonly filterable: readonly (readonly [string, Field])[];
  /** Without one: NaN. */
  readonly prices = Numbers.exact(64);
  readonly newness = Numbers.exact(64);
  readonly departures = Numbers.exact(64);
  readonly starts = Numbers.exact(64);
  /** 2: departs; 1: has an offer; 3: both. */
  readonly merits = Numbers.exact(64);
  alive = 0;
  private textBytes = 0;

  constructor(
    registry: Fields,
    private readonly currency: string,
  ) {
    this.filterable = [...registry].filter(([, field]) => field.filterable);
    for (const [name] of this.filterable) this.columns.set(name, new Column());
    this.columns.set('id', new Column());
  }

  get size(): number {
    return this.shown.length;
  }

  get bytes(): number {
    let bytes = this.textBytes * 2 + this.size * 200;
    for (const column of this.columns.values()) bytes += column.bytes;
    return bytes;
  }

  /** Returns its place. */
  add(document: ShownDocument): number {
    const { id, fields } = document;
    const place = this.shown.push(document) - 1;
    this.places.set(id, place);
    if (place === this.marks.length) {
      const larger = new Uint8Array(place * 2);
      larger.set(this.marks);
      this.marks = larger;
    }
    this.marks[place] = 1;
    for (const [name, field] of this.filterable) this.columns.get(name)?.add(scalarsOf(field, fields[name]));
    this.columns.get('id')?.add([id]);
    this.prices.push(this.priceOf(fields));
    this.newness.push(Date.parse(textOf(fields, 'publishedAt') ?? textOf(fields, 'createdAt') ?? ''));
    this.departures.push(Date.parse(textOf(fields, 'nextDepartureAt') ?? ''));
    this.starts.push(Date.parse(textOf(fields, 'startDate') ?? textOf(fields, 'earliestVoyageDate') ?? ''));
    this.merits.push((fields['hasUpcomingDeparture'] === true ? 2 : 0) + (fields['hasOffer'] === true ? 1 : 0));
    this.alive += 1;
    this.textBytes += document.length;
    return place;
  }

  /** Returns what was there, and where. */
  remove(id: string): { place: number; document: ShownDocument } | null {
    const place = this.places.get(id);
    const document = place === undefined ? null : (this.shown[place] ?? null);
    if (place === undefined || document === null) return null;
    this.shown[place] = null;
    this.marks[place] = 0;
    this.places.delete(id);
    this.alive -= 1;
    return { place, document };
  }

  at(place: number): ShownDocument | null {
    return this.shown[place] ?? null;
  }

  placeNamed(id: string): number | null {
    return this.places.get(id) ?? null;
  }

  all(): ShownDocument[] {
    return this.shown.filter((document) => document !== null);
  }

  columnOf(field: string): Column | null {
    return this.columns.get(field) ?? null;
  }

  placeOf(place: number): readonly [latitude: number, longitude: number] | null {
    const fields = this.at(place)?.fields ?? {};
    const [latitude, longitude] = [numberOf(fields, 'latitude'), numberOf(fields, 'longitude')];
    return latitude === null || longitude === null ? null : [latitude, longitude];
  }

  /** Marks those that are alive; not to be written to. */
  living(): Uint8Array {
    return this.marks.subarray(0, this.size);
  }

  /** An amount of another currency is no price. */
  private priceOf(fields: ShownDocument['fields']): number {
    for (const [amount, currency] of PRICES) {
      const price = numberOf(fields, amount);
      if (price !== null && (textOf(fields, currency) ?? this.currency) === this.currency) return price;
    }
    return NaN;
  }
}
