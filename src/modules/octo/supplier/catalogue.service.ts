import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { TermsService } from '../../legal/index.js';
import { setResponseHeader } from '../../../platform/http/response-headers.js';
import { DeparturesService, FacilitiesService, type PlacedFacility } from '../../operations/index.js';
import { OrganizationService } from '../../organization/index.js';
import {
  type ChannelOption,
  type ChannelProduct,
  ChannelProductsService,
  type ChannelUnit,
} from '../../products/index.js';
import type { OctoOption, OctoPricing, OctoProduct, OctoUnit } from './octo-objects.js';
import { contentOf, contentOfOption, languageOf } from './octo-content.js';
import { badRequest, invalidId } from './octo-errors.js';
import { pricingOf, type UnitCents } from './octo-pricing.js';
import type { Reseller } from './resellers.service.js';

const MAX_PRODUCTS = 500;
/** Start times and currencies are those of the departures of the next days. */
const OUTLOOK_DAYS = 90;
const CURRENCY_DAYS = 731;
/** The option of a product that has none. */
export const ONLY_OPTION = 'DEFAULT';

/** The fields of travelers that the standard knows, by ours. */
const CONTACT_FIELDS: Readonly<Record<string, string>> = {
  firstName: 'firstName',
  lastName: 'lastName',
  email: 'emailAddress',
  phone: 'phoneNumber',
  language: 'locales',
};

/** The language of an answer and the meeting points of its products, by their IDs; null without the capability. */
type Content = { language: string; places: ReadonlyMap<string, PlacedFacility> } | null;

interface Terms {
  locale: string;
  cutoffDays: number;
  startTimes: string[];
  lowest: ReadonlyMap<string, UnitCents>;
  content: Content;
}

/** The supplier and its products, as a reseller sees them. */
@Injectable()
export class CatalogueService {
  constructor(
    private readonly products: ChannelProductsService,
    private readonly departures: DeparturesService,
    private readonly facilities: FacilitiesService,
    private readonly terms: TermsService,
    private readonly organization: OrganizationService,
    private readonly env: Env,
  ) {}

  async getSupplier({ withContent }: Pick<Reseller, 'withContent'>): Promise<object> {
    const profile = await this.organization.getProfile();
    const { id, website, email, phone, address } = profile;
    const contact = { website, email, telephone: phone, address };
    const supplier = { id, name: profile.displayName(), endpoint: `${this.env.baseUrl}/octo`, contact };
    return withContent ? { ...supplier, shortDescription: null, media: [] } : supplier;
  }

  async list(reseller: Reseller): Promise<OctoProduct[]> {
    const { connection, isSelling } = reseller;
    if (!isSelling) return [];
    const ids = connection.catalogue === 'all' ? null : connection.productIds;
    return this.describe(await this.products.list(ids, MAX_PRODUCTS), reseller);
  }

  async get(id: string, reseller: Reseller): Promise<OctoProduct> {
    const product = reseller.isSelling ? await this.find(id, reseller) : null;
    const [described] = product ? await this.describe([product], reseller) : [];
    if (!described) throw invalidId('INVALID_PRODUCT_ID', 'productId', id);
    return described;
  }

  /** The product and its option that the reseller names. Throws if it is not offered. */
  async getSold(
    productId: string,
    optionId: string,
    reseller: Pick<Reseller, 'connection'>,
  ): Promise<{ product: ChannelProduct; option: ChannelOption | null }> {
    const product = await this.find(productId, reseller);
    if (!product) throw invalidId('INVALID_PRODUCT_ID', 'productId', productId);
    const option = product.options.find(({ id }) => id === optionId) ?? null;
    const isKnown = product.options.length === 0 ? optionId === ONLY_OPTION : option !== null;
    if (!isKnown) throw invalidId('INVALID_OPTION_ID', 'optionId', optionId);
    return { product, option };
  }

  /**
   * The fields of contacts that the product, and its units, need for a confirmation, even if the reseller may no longer sell it. A
   * product that is no longer on sale needs none: its reservations can be confirmed.
   */
  async requiredFields(productId: string): Promise<{ option: string[]; unitFields: string[] }> {
    const [product] = await this.products.list([productId], 1);
    return {
      option: octoFields(product?.requiredContactFields ?? []),
      unitFields: octoFields(product?.requiredTravelerFields ?? []),
    };
  }

  /** Throws for a currency in which no departure of the product is sold. */
  async assertCurrency(productId: string, currency: string): Promise<void> {
    const [outlook] = await this.departures.outlookOf([productId], CURRENCY_DAYS);
    if (outlook?.currencies.includes(currency)) return;
    throw badRequest('The product is not sold in this currency');
  }

  private async find(id: string, { connection }: Pick<Reseller, 'connection'>): Promise<ChannelProduct | null> {
    if (!connection.offers(id) || id.includes('\0')) return null;
    const [product] = await this.products.list([id], 1);
    return product ?? null;
  }

  /** A product without departures in the next days has no currency, so it has no amounts. */
  private async describe(
    products: readonly ChannelProduct[],
    { connection, withPricing, withContent, languages }: Reseller,
  ): Promise<OctoProduct[]> {
    const ids = products.map(({ id }) => id);
    const outlooks = new Map(
      (await this.departures.outlookOf(ids, OUTLOOK_DAYS)).map((outlook) => [outlook.productId, outlook]),
    );
    const { defaultLanguage: locale } = await this.organization.getProfile();
    const content = withContent ? await this.contentFor(products, languageOf(products, languages, locale)) : null;
    const { channelId } = connection;
    const described: OctoProduct[] = [];
    const cutoffs = await this.terms.lastRefundDays(ids, { channelId });
    for (const product of products) {
      const { currencies = [], startTimes = [] } = outlooks.get(product.id) ?? {};
      const [currency] = currencies;
      const lowest =
        withPricing && currency ? await this.products.lowestPrices(product, { channelId, currency }) : new Map();
      const terms = { locale, cutoffDays: cutoffs.get(product.id) ?? 0, startTimes, lowest, content };
      described.push(toProduct(product, terms, { connection, currencies: withPricing ? currencies : null }));
    }
    return described;
  }

  private async contentFor(products: readonly ChannelProduct[], language: string): Promise<Content> {
    setResponseHeader('Content-Language', language);
    const ids = products.flatMap(({ facilityId }) => facilityId ?? []);
    const places = ids.length === 0 ? [] : await this.facilities.listPlaced(ids);
    return { language, places: new Map(places.map((place) => [place.id, place])) };
  }
}

function octoFields(fields: readonly string[]): string[] {
  return fields.flatMap((field) => CONTACT_FIELDS[field] ?? []);
}

function toProduct(
  product: ChannelProduct,
  terms: Terms,
  { connection, currencies }: Pick<Reseller, 'connection'> & { currencies: string[] | null },
): OctoProduct {
  const { id, name, timeZone, issueVouchers, options } = product;
  const { content } = terms;
  const hasVouchers = issueVouchers !== 'never';
  const [currency] = currencies ?? [];
  const pricing = (cents: UnitCents): OctoPricing[] =>
    currency === undefined ? [] : [pricingOf(cents, { connection, currency })];
  const units = product.units.map((unit) => toUnit(unit, product, terms, currencies && pricing));
  return {
    ...{ id, internalName: name, reference: null, locale: terms.locale, timeZone },
    ...{ allowFreesale: false, instantConfirmation: true, instantDelivery: issueVouchers === 'on_confirmation' },
    ...{ availabilityRequired: true, availabilityType: 'START_TIME' },
    deliveryFormats: hasVouchers ? ['QRCODE'] : [],
    deliveryMethods: hasVouchers ? ['VOUCHER'] : [],
    redemptionMethod: hasVouchers ? 'DIGITAL' : 'MANIFEST',
    options: (options.length === 0 ? [null] : options).map((option) => toOption(option, product, terms, units)),
    ...(currencies && {
      ...(currency !== undefined && { defaultCurrency: currency }),
      availableCurrencies: currencies,
      pricingPer: 'UNIT' as const,
    }),
    ...(content && contentOf(product, { language: content.language, meetingPoint: placeOf(product, content) })),
  };
}

function toOption(
  option: ChannelOption | null,
  { name, options, requiredContactFields, durationMinutes }: ChannelProduct,
  { cutoffDays, startTimes, content }: Terms,
  units: OctoUnit[],
): OctoOption {
  const times = option && option.startTimes.length > 0 ? option.startTimes : startTimes;
  return {
    id: option?.id ?? ONLY_OPTION,
    default: option === null || option.isDefault || options.length === 1,
    internalName: option?.name ?? ONLY_OPTION,
    reference: null,
    availabilityLocalStartTimes: times.length > 0 ? times : ['00:00'],
    cancellationCutoff: cutoffDays === 1 ? '1 day before departure' : `${cutoffDays} days before departure`,
    cancellationCutoffAmount: cutoffDays,
    cancellationCutoffUnit: 'day',
    requiredContactFields: octoFields(requiredContactFields),
    restrictions: { minUnits: option?.minUnits ?? 1, maxUnits: option?.maxUnits ?? null },
    units,
    ...(content && contentOfOption(option?.name ?? name, durationMinutes)),
  };
}

function placeOf({ facilityId }: ChannelProduct, { places }: NonNullable<Content>): PlacedFacility | null {
  return facilityId === null ? null : (places.get(facilityId) ?? null);
}

function toUnit(
  unit: ChannelUnit,
  { requiredTravelerFields }: ChannelProduct,
  { lowest, content }: Terms,
  pricing: ((cents: UnitCents) => OctoPricing[]) | null,
): OctoUnit {
  const cents = lowest.get(unit.id);
  return {
    id: unit.id,
    internalName: unit.name,
    reference: null,
    type: unit.type.toUpperCase(),
    requiredContactFields: octoFields(requiredTravelerFields),
    restrictions: {
      minAge: unit.minAge ?? 0,
      maxAge: unit.maxAge ?? 120,
      idRequired: unit.idRequired,
      minQuantity: unit.minQuantity,
      maxQuantity: unit.maxQuantity,
      paxCount: unit.paxCount,
      accompaniedBy: unit.accompaniedBy,
    },
    ...(pricing && { pricingFrom: cents === undefined ? [] : pricing(cents) }),
    ...(content && { title: unit.name, features: [] }),
  };
}
