import { describe, expect, it } from '@jest/globals';
import { type DeparturePrice, type ListedPrice, type SaleOfUnit, unitPrice } from './unit-price.js';

const SALE = { currency: 'EUR', channelId: 'agency', today: '2027-03-15' };

const listed = (priceListId: string, terms: Partial<ListedPrice> = {}): ListedPrice => ({
  ...{ priceListId, version: 1, listedAt: new Date('2027-01-01T00:00:00Z'), currency: 'EUR', channelId: null },
  ...{ soldFrom: null, soldTo: null, priority: 0, optionId: null, weekday: null, amountCents: 5_000 },
  ...terms,
});
const DEPARTURE: DeparturePrice = { currency: 'EUR', amountCents: 4_000, isForUnit: true, own: [] };
const own = (amountCents: number, optionId: string | null = null) => ({ optionId, amountCents });

/** The applying price, and the outcomes of all candidates. */
function outcomes(prices: readonly ListedPrice[], departure: DeparturePrice | null = null, sale: SaleOfUnit = SALE) {
  const { price, explain } = unitPrice(sale, { listed: prices, departure });
  return [
    price?.priceListId ?? price?.source ?? null,
    explain.map((one) => `${one.priceListId ?? 'departure'} ${one.outcome}`),
  ];
}

const NEWER = { listedAt: new Date('2027-02-01T00:00:00Z') };

describe('the price of a unit', () => {
  it.each<[string, ListedPrice[], DeparturePrice | null, string | null, string[]]>([
    ['no candidate', [], null, null, []],
    ['the only list', [listed('a')], null, 'a', ['a applies']],
    [
      'a list of the channel before a general one of higher priority',
      [listed('general', { priority: 9 }), listed('own', { channelId: 'agency' })],
      null,
      'own',
      ['own applies', 'general general_channel'],
    ],
    [
      'a higher priority before an option and a weekday',
      [listed('option', { optionId: 'private', weekday: 1 }), listed('high', { priority: 1 })],
      null,
      'high',
      ['high applies', 'option lower_priority'],
    ],
    [
      'an option before a weekday',
      [listed('weekday', { weekday: 1, ...NEWER }), listed('option', { optionId: 'private' })],
      null,
      'option',
      ['option applies', 'weekday general_option'],
    ],
    [
      'a weekday before a newer list',
      [listed('newer', NEWER), listed('weekday', { weekday: 1 })],
      null,
      'weekday',
      ['weekday applies', 'newer general_weekday'],
    ],
    [
      'the newest list',
      [listed('older'), listed('newer', NEWER)],
      null,
      'newer',
      ['newer applies', 'older older_list'],
    ],
    ['lists of the same instant by ID', [listed('a'), listed('b')], null, 'b', ['b applies', 'a older_list']],
    ['a list before the departure', [listed('a')], DEPARTURE, 'a', ['a applies', 'departure list_price_exists']],
    ['the departure without a list', [], DEPARTURE, 'departure', ['departure applies']],
    ['no price of the departure for a child', [], { ...DEPARTURE, isForUnit: false }, null, ['departure not_for_unit']],
    [
      'no price of the departure in another currency',
      [],
      { ...DEPARTURE, currency: 'CHF' },
      null,
      ['departure other_currency'],
    ],
    [
      'the price that the departure has for the unit before all others',
      [listed('a')],
      { ...DEPARTURE, own: [own(3_000)] },
      'departure',
      ['departure applies', 'a unit_price_exists', 'departure unit_price_exists'],
    ],
    [
      'a price of the departure for the option before one for all options',
      [],
      { ...DEPARTURE, isForUnit: false, own: [own(3_000), own(3_500, 'private')] },
      'departure',
      ['departure applies', 'departure general_option', 'departure not_for_unit'],
    ],
    [
      'a list before prices of a departure in another currency',
      [listed('a')],
      { ...DEPARTURE, currency: 'CHF', own: [own(3_000)] },
      'a',
      ['departure other_currency', 'a applies', 'departure other_currency'],
    ],
    [
      'lists that do not apply to the sale',
      [
        listed('chf', { currency: 'CHF', priority: 9 }),
        listed('other', { channelId: 'ota', priority: 9 }),
        listed('later', { soldFrom: '2027-03-16', priority: 9 }),
        listed('past', { soldTo: '2027-03-14', priority: 9 }),
      ],
      DEPARTURE,
      'departure',
      ['departure applies', 'chf other_currency', 'other other_channel', 'later not_on_sale', 'past not_on_sale'],
    ],
    [
      'the first and the last day of sale',
      [listed('first', { soldFrom: '2027-03-15' }), listed('last', { soldTo: '2027-03-15', priority: 1 })],
      null,
      'last',
      ['last applies', 'first lower_priority'],
    ],
  ])('%s', (_title, prices, departure, chosen, explained) => {
    expect(outcomes(prices, departure)).toEqual([chosen, explained]);
    expect(outcomes(prices.toReversed(), departure)[0]).toBe(chosen);
  });

  it('a sale without a channel uses general lists only', () => {
    const prices = [listed('own', { channelId: 'agency' }), listed('general')];
    const [chosen, explained] = outcomes(prices, null, { ...SALE, channelId: null });
    expect([chosen, explained]).toEqual(['general', ['general applies', 'own other_channel']]);
  });

  it('0 is a price', () => {
    const { price } = unitPrice(SALE, { listed: [listed('free', { amountCents: 0 })], departure: DEPARTURE });
    expect(price).toEqual({ amountCents: 0, source: 'list', priceListId: 'free', priceListVersion: 1 });
  });
});
