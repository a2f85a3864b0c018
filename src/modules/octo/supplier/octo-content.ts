import type { PlacedFacility } from '../../operations/index.js';
import { type ChannelProduct, type ProductKind, type ProductMedia, textIn } from '../../products/index.js';
import type { OctoContent, OctoLocation, OctoMedia } from './octo-objects.js';

/** The labels of the standard that follow from the kind of a product. */
const LABELS: Partial<Record<ProductKind, string>> = { day_tour: 'day-trips', multi_day: 'multi-day' };

const MEDIA_TYPES: Readonly<Record<string, string>> = { png: 'image/png', avi: 'video/avi' };

/** Members of a place that the standard wants, for which we have no data. */
const NO_IDENTIFIERS = {
  ...{ googlePlaceId: null, applePlaceId: null, tripadvisorLocationId: null, yelpPlaceId: null },
  ...{ facebookPlaceId: null, foursquarePlaceId: null, baiduPlaceId: null, amapPlaceId: null },
};

/**
 * The language of an answer: the first wanted one, or its parent language, in which a product has texts; otherwise that of the
 * organization.
 */
export function languageOf(
  products: readonly Pick<ChannelProduct, 'texts'>[],
  wanted: readonly string[],
  fallback: string,
): string {
  const known = new Set([fallback, ...products.flatMap(({ texts }) => texts.map(({ locale }) => locale))]);
  const candidates = wanted.flatMap((tag) => [tag, tag.split('-')[0] ?? '']);
  return candidates.find((tag) => known.has(tag)) ?? fallback;
}

export function contentOf(
  { texts, name, kind, media, durationMinutes }: ChannelProduct,
  { language, meetingPoint }: { language: string; meetingPoint: PlacedFacility | null },
): OctoContent {
  const label = LABELS[kind];
  return {
    ...emptyContent(durationMinutes),
    title: textIn(texts, language, 'title') ?? name,
    shortDescription: textIn(texts, language, 'summary'),
    description: textIn(texts, language, 'description'),
    media: mediaOf(media),
    locations: meetingPoint ? [startAt(meetingPoint)] : [],
    categoryLabels: label === undefined ? [] : [label],
  };
}

/** An option has a name and no texts of its own; a reseller joins both levels. */
export function contentOfOption(title: string, durationMinutes: number | null): OctoContent {
  return { ...emptyContent(durationMinutes), title };
}

function emptyContent(durationMinutes: number | null): Omit<OctoContent, 'title'> {
  return {
    ...{ shortDescription: null, description: null, features: [], faqs: [], media: [], locations: [] },
    ...{ categoryLabels: [], ...(durationMinutes !== null && { durationMinutesFrom: durationMinutes }) },
    ...{ durationMinutesTo: null, commentary: [] },
  };
}

/** Pictures and videos; the first picture is the cover. The standard has no type for documents. */
function mediaOf(media: readonly ProductMedia[]): OctoMedia[] {
  const shown = media.filter(({ kind }) => kind !== 'document');
  const cover = shown.find(({ kind }) => kind === 'image');
  return shown.map((one) => ({
    ...{ src: one.url, type: typeOf(one), rel: one === cover ? 'COVER' : 'GALLERY' },
    ...{ title: null, caption: one.caption, copyright: null },
  }));
}

function typeOf({ url, kind }: ProductMedia): string {
  const { hostname, pathname } = new URL(url);
  if (kind === 'video' && /(^|\.)(youtube\.com|youtu\.be)$/.test(hostname)) return 'external/youtube';
  if (kind === 'video' && /(^|\.)vimeo\.com$/.test(hostname)) return 'external/vimeo';
  const ending = pathname.slice(pathname.lastIndexOf('.') + 1).toLowerCase();
  const type = MEDIA_TYPES[ending];
  if (type?.startsWith(kind)) return type;
  return kind === 'image' ? 'image/jpeg' : 'video/mp4';
}

function startAt(place: PlacedFacility): OctoLocation {
  const street = [place.addressLine1, place.addressLine2].filter(Boolean).join(', ');
  return {
    ...{ title: place.name, shortDescription: null, types: ['START'], minutesTo: null, minutesAt: null },
    place: {
      ...{ latitude: place.latitude, longitude: place.longitude },
      postalAddress: {
        streetAddress: street === '' ? null : street,
        ...{ addressLocality: place.addressCity, addressRegion: place.addressRegion },
        ...{ postalCode: place.addressPostalCode, addressCountry: place.addressCountry, postOfficeBoxNumber: null },
      },
      identifiers: NO_IDENTIFIERS,
      sameAs: [],
    },
  };
}
