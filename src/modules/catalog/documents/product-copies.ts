import { isDeepStrictEqual } from 'node:util';
import type { AdvertisedProduct } from '../../products/index.js';
import { canonicalLocale } from '../slices/locale.js';
import type { Market, SliceKey } from '../slices/slices.service.js';
import { isName } from './document-fields.js';
import type { ManagedDocument, StoredDocument } from './documents.repository.js';

/** The changes that make the documents of a product what the product says. */
export interface ProductCopies {
  written: ManagedDocument[];
  /** Documents of languages that the product no longer has. */
  deleted: StoredDocument[];
  /** Whether documents are added. */
  isGrowing: boolean;
}

interface Copied {
  markets: readonly Market[];
  stored: readonly StoredDocument[];
  /** The departures of new documents; events change those of existing ones. */
  departures: readonly Record<string, unknown>[];
}

/**
 * Compares the documents of a product with it. An active product has a document for each market in the language of the market,
 * and in each other language of its texts. A draft or an archived product gets no document, but those it has leave the search.
 */
export function copiesOf(product: AdvertisedProduct, { markets, stored, departures }: Copied): ProductCopies {
  const present = stored.filter(({ market }) => markets.some(({ code }) => code === market));
  const copies: ProductCopies = { written: [], deleted: [], isGrowing: false };
  const wanted = product.status === 'active' ? targetsOf(product, { markets, present }) : [];
  for (const target of wanted) {
    if (present.some((one) => isSameSlice(one, target))) continue;
    const copy = copyOf(product, target, { markets, existing: null });
    copies.written.push(departures.length === 0 ? copy : { ...copy, fields: { ...copy.fields, departures } });
    copies.isGrowing = true;
  }
  for (const existing of present) {
    const isWanted = wanted.some((one) => isSameSlice(one, existing));
    const hasText = textFor(product, existing.locale) !== null;
    if (product.status === 'active' && !isWanted && !hasText && existing.productFields.includes('name')) {
      copies.deleted.push(existing);
      continue;
    }
    const copy = copyOf(product, existing, { markets, existing });
    if (!isSame(copy, existing)) copies.written.push(copy);
  }
  return copies;
}

/** The language of a market also stands for a text without a region: `en` is shown in a market of `en-GB`. */
function targetsOf(
  product: AdvertisedProduct,
  { markets, present }: { markets: readonly Market[]; present: readonly StoredDocument[] },
): SliceKey[] {
  const verticals = new Set(present.map(({ vertical }) => vertical));
  if (verticals.size === 0) verticals.add(product.kind === 'accommodation' ? 'accommodations' : 'products');
  return [...verticals].flatMap((vertical) =>
    markets.flatMap(({ code: market, locale: own }) => {
      const others = product.texts.flatMap(({ locale }) => canonicalLocale(locale) ?? []);
      const locales = new Set([own, ...others.filter((locale) => locale !== languageOf(own))]);
      return [...locales].map((locale) => ({ vertical, locale, market }));
    }),
  );
}

/** Fields that the product does not own stay as they are written. */
function copyOf(
  product: AdvertisedProduct,
  { vertical, locale, market }: SliceKey,
  { markets, existing }: { markets: readonly Market[]; existing: StoredDocument | null },
): ManagedDocument {
  const own = markets.find(({ code }) => code === market);
  const fields = ownedFields(product, { locale, isOwn: own?.locale === locale, currency: own?.currency ?? null });
  const former = existing?.productFields ?? [];
  const kept = Object.entries(existing?.fields ?? {}).filter(([name]) => name === 'name' || !former.includes(name));
  return {
    ...{ vertical, locale, market, id: product.id },
    fields: { ...Object.fromEntries(kept), ...fields },
    productFields: Object.keys(fields).sort(),
  };
}

/** The product owns only the fields for which it has a value; clients write the others. */
function ownedFields(
  product: AdvertisedProduct,
  { locale, isOwn, currency }: { locale: string; isOwn: boolean; currency: string | null },
): Record<string, unknown> {
  const text = textFor(product, locale);
  const price = currency === null ? undefined : product.lowestCents.get(currency);
  const given = {
    name: text || isOwn ? [text?.title, product.name, product.id].find((one) => one && isName(one)) : null,
    shortDescription: text?.summary,
    description: text?.description,
    status: product.status,
    timezone: product.timeZone,
    departureTimezone: product.timeZone,
    durationMinutes: product.durationMinutes,
    primaryMediaUrl: product.imageUrl,
    ...(price !== undefined && { priceFromAmountCents: price, priceFromCurrency: currency, hasPricing: true }),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined));
}

function textFor({ texts }: AdvertisedProduct, locale: string) {
  const inLanguage = (tag: string) => texts.find((text) => canonicalLocale(text.locale) === tag);
  return inLanguage(locale) ?? inLanguage(languageOf(locale)) ?? null;
}

function languageOf(locale: string): string {
  return locale.split('-')[0] ?? locale;
}

function isSameSlice(a: SliceKey, b: SliceKey): boolean {
  return a.vertical === b.vertical && a.locale === b.locale && a.market === b.market;
}

function isSame(copy: ManagedDocument, { fields, productFields }: StoredDocument): boolean {
  return isDeepStrictEqual(copy.fields, fields) && isDeepStrictEqual(copy.productFields, productFields);
}
