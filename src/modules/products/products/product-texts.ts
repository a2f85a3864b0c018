import { extensible } from '../../../platform/http/named-values.js';

export const PRODUCT_KINDS = extensible('ProductKind', [
  'day_tour',
  'multi_day',
  'transfer',
  'ticket',
  'rental',
  'accommodation',
  'service',
]);
export type ProductKind = (typeof PRODUCT_KINDS)[number];

export const MEDIA_KINDS = extensible('ProductMediaKind', ['image', 'video', 'document']);
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** The texts of a product in one language. */
export interface ProductText {
  locale: string;
  title: string | null;
  summary: string | null;
  description: string | null;
}

export interface ProductMedia {
  url: string;
  kind: MediaKind;
  caption: string | null;
}

/** The text in the language, otherwise in its parent language; null without either. */
export function textIn(
  texts: readonly ProductText[],
  language: string | null,
  member: Exclude<keyof ProductText, 'locale'>,
): string | null {
  const locales = language === null ? [] : [language, language.split('-')[0]];
  const found = locales.map((locale) => texts.find((text) => text.locale === locale)?.[member] ?? null);
  return found.find((text) => text !== null) ?? null;
}
