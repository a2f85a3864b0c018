import { extensible, named } from '../../../platform/http/named-values.js';

export const PRICE_SOURCES = extensible('PriceSource', ['list', 'departure']);
export type PriceSource = (typeof PRICE_SOURCES)[number];

/** Why a candidate is the price of the unit, or why it is not. */
export const PRICE_OUTCOMES = named('PriceOutcome', [
  'applies',
  'general_channel',
  'lower_priority',
  'general_option',
  'general_weekday',
  'older_list',
  'list_price_exists',
  'unit_price_exists',
  'other_currency',
  'not_on_sale',
  'other_channel',
  'not_for_unit',
]);
export type PriceOutcome = (typeof PRICE_OUTCOMES)[number];

/** A price of the unit in an active list that covers the service date, its weekday and the option. */
export interface ListedPrice {
  priceListId: string;
  /** Version of the list. */
  version: number;
  listedAt: Date;
  currency: string;
  channelId: string | null;
  soldFrom: string | null;
  soldTo: string | null;
  priority: number;
  optionId: string | null;
  weekday: number | null;
  amountCents: number;
}

/** A price that a departure has for one unit of its product; without an option it counts for all of them. */
export interface DepartureUnitPrice {
  unitId: string;
  optionId: string | null;
  amountCents: number;
}

/** The price of one unit of a departure, which counts for adults, or if the product has no other unit. */
export interface DeparturePrice {
  currency: string;
  amountCents: number;
  isForUnit: boolean;
  /** What the departure has for the unit itself, in the same currency: for the option, or for all options. */
  own: readonly Pick<DepartureUnitPrice, 'optionId' | 'amountCents'>[];
}

/** The sale in which a unit is priced. `today` is the day of sale in the organization's time zone. */
export interface SaleOfUnit {
  currency: string;
  channelId: string | null;
  today: string;
}

/** A candidate and its outcome. */
export interface ExplainedPrice {
  source: PriceSource;
  priceListId: string | null;
  currency: string;
  amountCents: number;
  outcome: PriceOutcome;
}

export interface UnitPrice {
  amountCents: number;
  source: PriceSource;
  priceListId: string | null;
  /** Version of the list; null without one. */
  priceListVersion: number | null;
}

/** The order of lists: the first criterion that differs decides, and names why the other price lost. */
const ORDER: readonly { outcome: PriceOutcome; compare: (a: ListedPrice, b: ListedPrice) => number }[] = [
  { outcome: 'general_channel', compare: (a, b) => Number(a.channelId === null) - Number(b.channelId === null) },
  { outcome: 'lower_priority', compare: (a, b) => b.priority - a.priority },
  { outcome: 'general_option', compare: (a, b) => Number(a.optionId === null) - Number(b.optionId === null) },
  { outcome: 'general_weekday', compare: (a, b) => Number(a.weekday === null) - Number(b.weekday === null) },
  { outcome: 'older_list', compare: (a, b) => b.listedAt.getTime() - a.listedAt.getTime() },
  // Lists of the same millisecond: their IDs decide, so that a quote and a sale choose the same one.
  { outcome: 'older_list', compare: (a, b) => (a.priceListId > b.priceListId ? -1 : 1) },
];

/**
 * Chooses the price of a unit: what the departure has for the unit, otherwise that of the best list, otherwise the general price
 * of the departure; null without one. 0 is a price. The candidates are explained in the order of their rank, and those that do
 * not apply last.
 */
export function unitPrice(
  sale: SaleOfUnit,
  { listed, departure }: { listed: readonly ListedPrice[]; departure: DeparturePrice | null },
): { price: UnitPrice | null; explain: ExplainedPrice[] } {
  const ranked = rankedPrices(listed, sale);
  const [best] = ranked;
  const isOwned = departure !== null && departure.own.length > 0 && departure.currency === sale.currency;
  const explain = departure ? ownOutcomes(departure, sale) : [];
  for (const price of ranked) {
    const outcome = price === best ? 'applies' : reasonOutranked(price, best ?? price);
    explain.push(explained(price, isOwned ? 'unit_price_exists' : outcome));
  }
  if (departure) explain.push(departureOutcome(departure, sale, { isListed: best !== undefined, isOwned }));
  for (const price of listed) {
    const objection = reasonExcluded(price, sale);
    if (objection !== null) explain.push(explained(price, objection));
  }
  const chosen = explain.find(({ outcome }) => outcome === 'applies');
  if (!chosen) return { price: null, explain };
  const { amountCents, source, priceListId } = chosen;
  const priceListVersion = priceListId === null ? null : (best?.version ?? null);
  return { price: { amountCents, source, priceListId, priceListVersion }, explain };
}

/** The prices that count for the sale; each precedes those that follow. */
export function rankedPrices<P extends ListedPrice>(listed: readonly P[], sale: SaleOfUnit): P[] {
  return listed.filter((price) => reasonExcluded(price, sale) === null).sort(compareListed);
}

/** Returns why the list has no price for the sale; null if it has one. */
function reasonExcluded(price: ListedPrice, { currency, channelId, today }: SaleOfUnit): PriceOutcome | null {
  if (price.currency !== currency) return 'other_currency';
  if (price.channelId !== null && price.channelId !== channelId) return 'other_channel';
  const isOnSale = (price.soldFrom ?? today) <= today && (price.soldTo ?? today) >= today;
  return isOnSale ? null : 'not_on_sale';
}

function compareListed(a: ListedPrice, b: ListedPrice): number {
  return ORDER.map(({ compare }) => compare(a, b)).find((difference) => difference !== 0) ?? 0;
}

function reasonOutranked(price: ListedPrice, best: ListedPrice): PriceOutcome {
  return ORDER.find(({ compare }) => compare(best, price) !== 0)?.outcome ?? 'older_list';
}

function explained({ priceListId, currency, amountCents }: ListedPrice, outcome: PriceOutcome): ExplainedPrice {
  return { source: 'list', priceListId, currency, amountCents, outcome };
}

/** A price of the option precedes one of all options. */
function ownOutcomes({ currency, own }: DeparturePrice, sale: SaleOfUnit): ExplainedPrice[] {
  return [...own]
    .sort((a, b) => Number(a.optionId === null) - Number(b.optionId === null))
    .map(({ amountCents }, place) => {
      const candidate = { source: 'departure', priceListId: null, currency, amountCents } as const;
      if (currency !== sale.currency) return { ...candidate, outcome: 'other_currency' };
      return { ...candidate, outcome: place === 0 ? 'applies' : 'general_option' };
    });
}

function departureOutcome(
  { currency, amountCents, isForUnit }: DeparturePrice,
  sale: SaleOfUnit,
  { isListed, isOwned }: { isListed: boolean; isOwned: boolean },
): ExplainedPrice {
  const candidate = { source: 'departure', priceListId: null, currency, amountCents } as const;
  if (!isForUnit) return { ...candidate, outcome: 'not_for_unit' };
  if (currency !== sale.currency) return { ...candidate, outcome: 'other_currency' };
  if (isOwned) return { ...candidate, outcome: 'unit_price_exists' };
  return { ...candidate, outcome: isListed ? 'list_price_exists' : 'applies' };
}
