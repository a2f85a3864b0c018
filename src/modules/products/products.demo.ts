import { Injectable } from '@nestjs/common';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import type { CreatePriceList, PriceBody } from './price-lists/price-list.dto.js';
import { PriceListsService } from './price-lists/price-lists.service.js';
import type { CreateProduct } from './products/product.dto.js';
import type { CreateProductExtra } from './products/product-extra.dto.js';
import { ProductExtrasService } from './products/product-extras.service.js';
import type { CreateProductOption } from './products/product-option.dto.js';
import { ProductOptionsService } from './products/product-options.service.js';
import type { CreateProductQuestion } from './products/product-question.dto.js';
import { ProductQuestionsService } from './products/product-questions.service.js';
import type { CreateProductUnit } from './products/product-unit.dto.js';
import { ProductUnitsService } from './products/product-units.service.js';
import { ProductsService } from './products/products.service.js';

/** The examples read 1 and change 2, both of which have departures; they archive 41 and activate 42, which have none. */
const PRODUCTS: readonly (CreateProduct & { isDraft?: boolean })[] = [
  {
    id: demoId('prod', 1),
    name: 'Danube Delta by boat',
    kind: 'day_tour',
    timeZone: 'Europe/Bucharest',
    durationMinutes: 540,
    defaultCapacity: 20,
    facilityId: demoId('fac', 1),
    taxCodeId: demoId('taxc', 1),
    cutoff: { daysBefore: 1, at: '18:00' },
    minParticipants: 6,
    decideDaysBefore: 2,
    requiredContactFields: ['email', 'phone'],
    requiredTravelerFields: ['firstName', 'lastName'],
    resourceNeeds: [{ type: 'boat' }, { type: 'guide' }],
    texts: [
      {
        locale: 'en',
        title: 'Danube Delta by boat',
        summary: 'A day among pelicans and water lilies, by small boat from Tulcea',
      },
      { locale: 'de', title: 'Donaudelta mit dem Boot', summary: 'Ein Tag auf den Kanälen des Deltas, mit Führung.' },
    ],
    media: [{ url: 'https://media.example.com/delta.jpg', caption: 'Pelicans on the lake' }],
  },
  {
    id: demoId('prod', 2),
    name: 'Alpine crossing',
    kind: 'multi_day',
    timeZone: 'Europe/Vienna',
    defaultCapacity: 12,
    requiredTravelerFields: ['firstName', 'lastName', 'birthDate', 'emergencyContact'],
    issueVouchers: 'when_paid',
  },
  { id: demoId('prod', 41), name: 'Granada art and history tour', kind: 'day_tour', timeZone: 'Europe/Madrid' },
  {
    id: demoId('prod', 42),
    name: 'Tyrol city break',
    kind: 'multi_day',
    timeZone: 'Europe/Vienna',
    isDraft: true,
  },
];

/** The options of product 1. The examples read 1, change 2 and delete 3. */
const OPTIONS: readonly CreateProductOption[] = [
  { name: 'Morning', startTimes: ['09:00'] },
  { name: 'Afternoon', startTimes: ['14:00'] },
  { name: 'Private', minUnits: 4, active: false },
];

/** The units of product 1. The examples read 1, change 2 and delete 3. */
const UNITS: readonly CreateProductUnit[] = [
  { type: 'adult', name: 'Adult', minAge: 13, costCents: 2_100, costCurrency: 'EUR' },
  { type: 'child', name: 'Child', minAge: 4, maxAge: 12, accompaniedBy: [demoId('punt', 1)] },
  { type: 'infant', name: 'Infant', maxAge: 3, seats: 0, accompaniedBy: [demoId('punt', 1)] },
];

/** The extras of product 1. The examples read 1, change 2 and delete 3. */
const EXTRAS: readonly CreateProductExtra[] = [
  {
    ...{ name: 'Lunch on board', kind: 'meal', pricing: 'per_person' },
    texts: [{ locale: 'de', title: 'Mittagessen an Bord', description: 'Fischsuppe, Brot und Wasser.' }],
    prices: [{ currency: 'EUR', amountCents: 1_500 }],
  },
  {
    ...{ name: 'Transfer from the station', kind: 'transport', pricing: 'per_booking' },
    prices: [{ currency: 'EUR', amountCents: 2_000 }],
  },
  {
    ...{ name: 'Binoculars', kind: 'equipment', pricing: 'per_unit_quantity' },
    prices: [{ currency: 'EUR', amountCents: 500 }],
  },
];

/** The questions of product 1. The examples read 1, change 2 and delete 3. */
const QUESTIONS: readonly CreateProductQuestion[] = [
  {
    ...{ scope: 'traveler', type: 'integer', label: 'Shoe size', dueDaysBefore: 7, min: 20, max: 50 },
    texts: [{ locale: 'de', label: 'Schuhgröße', help: 'Für die Gummistiefel.' }],
  },
  {
    ...{ scope: 'booking', type: 'choice', label: 'How did you find us?' },
    choices: [
      { value: 'search', label: 'Search engine' },
      { value: 'friends', label: 'Friends', texts: [{ locale: 'de', label: 'Freunde' }] },
    ],
  },
  { scope: 'booking', type: 'text', label: 'Hotel in Tulcea', maxLength: 200 },
];

/** The questions of product 2, which booking 1 answers. */
const MORE_QUESTIONS: readonly CreateProductQuestion[] = [
  { scope: 'booking', type: 'text', label: 'Where do you arrive from?', maxLength: 200 },
  { scope: 'traveler', type: 'integer', label: 'Boot size', dueDaysBefore: 14, min: 30, max: 50 },
];

/** The examples read 1, change 2, activate 3 and retire 4. */
const PRICE_LISTS: readonly (CreatePriceList & { isActive?: boolean })[] = [
  { name: 'Standard prices', currency: 'EUR', isActive: true },
  { name: 'Early booking', currency: 'EUR', soldTo: '2026-12-31', priority: 10 },
  { name: 'Next season', currency: 'EUR', soldFrom: '2027-10-01' },
  { name: 'Last season', currency: 'EUR', soldTo: '2025-12-31', isActive: true },
];

/** Prices of price list 1. */
const PRICES: readonly PriceBody[] = [
  { productId: demoId('prod', 1), unitId: demoId('punt', 1), amountCents: 5_900 },
  { productId: demoId('prod', 1), unitId: demoId('punt', 1), weekday: 6, amountCents: 6_500 },
  { productId: demoId('prod', 1), unitId: demoId('punt', 2), amountCents: 2_900 },
];

/** The products that the examples of the API document name. */
@Injectable()
export class ProductsDemo {
  constructor(
    private readonly products: ProductsService,
    private readonly options: ProductOptionsService,
    private readonly units: ProductUnitsService,
    private readonly extras: ProductExtrasService,
    private readonly questions: ProductQuestionsService,
    private readonly priceLists: PriceListsService,
  ) {}

  @DemoData(155, 'products')
  async load(): Promise<void> {
    for (const { isDraft = false, ...product } of PRODUCTS) {
      const { id } = await this.products.create(product);
      if (!isDraft) await this.products.activate(id, null);
    }
    const productId = demoId('prod', 1);
    for (const [index, option] of OPTIONS.entries()) {
      await this.options.create(productId, option, { id: demoId('popt', index + 1) });
    }
    for (const [index, unit] of UNITS.entries())
      await this.units.create(productId, unit, { id: demoId('punt', index + 1) });
    for (const [index, extra] of EXTRAS.entries()) {
      await this.extras.create(productId, extra, { id: demoId('pxtr', index + 1) });
    }
    for (const [index, question] of QUESTIONS.entries()) {
      await this.questions.create(productId, question, { id: demoId('pqst', index + 1) });
    }
    for (const [index, question] of MORE_QUESTIONS.entries()) {
      const id = demoId('pqst', QUESTIONS.length + index + 1);
      await this.questions.create(demoId('prod', 2), question, { id });
    }
    for (const [index, { isActive = false, ...list }] of PRICE_LISTS.entries()) {
      const { id } = await this.priceLists.create(list, demoId('plst', index + 1));
      if (index === 0) await this.priceLists.replacePrices(id, PRICES, null);
      if (isActive) await this.priceLists.activate(id, null);
    }
  }
}
