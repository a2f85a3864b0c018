import { demoId } from '../../../platform/ids/id.js';
import type { Vertical } from '../slices/verticals.js';
import {
  dayOf,
  type Draft,
  type DraftFields,
  morningIn,
  priced,
  published,
  slugOf,
  whereabouts,
} from './demo-fields.js';
import { type Place, places, routes } from './demo-places.js';
import { type Theme, themes } from './demo-themes.js';
import { TOUR_COUNT } from './demo-tours.js';

const HOUR_MS = 3_600_000;
/** Greater than the number of departures of one document. */
const DEPARTURES_OF_ONE = 10;
const OFFERS = ['Early bird', 'Last minute', 'Spring sale', 'Long stay', 'Four for three'];

const BOARDS = ['bed and breakfast', 'half board', 'full board', 'self-catering', 'all inclusive'];
const ROOMS = ['double room', 'family suite', 'garden studio', 'sea view apartment', 'mountain chalet', 'junior suite'];
const HOUSES = ['Casa Aurora', 'Villa Mirador', 'The Old Mill', 'Hotel Bellavista', 'Lantern House', 'Pension Linden'];
const RIVER_SHIPS = ['MS Danubia', 'MS Belle Rivière', 'MS Aurelia', 'MS Kingfisher'];
const SEA_SHIPS = ['MV Northern Star', 'MS Calypso', 'SY Meltemi', 'MV Halcyon Days'];
const RIVER_LINES = ['Continental River Lines', 'Towpath Cruises'];
const SEA_LINES = ['Blue Horizon', 'Aegean Small Ships', 'Lighthouse Cruises'];
const YACHTS = ['Penelope', 'Libeccio', 'Halcyon', 'Sirocco', 'Amphitrite', 'Grey Heron', 'Tramontana', 'Calliope'];

/**
 * A deterministic catalog besides the tours of `demo-tours.ts`, whose ids come first. Of ten documents, six are products, two
 * accommodations, one a cruise and one a charter.
 */
export function* demoDocuments(count: number, now: Date): Generator<Draft> {
  const made = { products: TOUR_COUNT, accommodations: 0, cruises: 0, charters: 0 };
  const first = { ...made };
  for (let index = 0; index < count; index += 1) {
    const random = seeded(index * 7919 + 17);
    const vertical = verticalOf(index);
    // The tours have numbers below 100.
    const context = { random, now, firstDeparture: 100 + index * DEPARTURES_OF_ONE };
    const fields = FIELDS[vertical](made[vertical] - first[vertical], context);
    made[vertical] += 1;
    yield { vertical, id: demoId(PREFIXES[vertical], made[vertical]), fields };
  }
}

const PREFIXES: Record<Vertical, string> = {
  products: 'prod',
  accommodations: 'acco',
  cruises: 'crui',
  charters: 'char',
};
interface Context {
  random: Random;
  now: Date;
  /** Number of the first departure's demo id. */
  firstDeparture: number;
}

const FIELDS: Record<Vertical, (index: number, context: Context) => DraftFields> = {
  products: product,
  accommodations: stay,
  cruises: cruise,
  charters: charter,
};

function verticalOf(index: number): Vertical {
  const digit = index % 10;
  return digit < 6 ? 'products' : digit < 8 ? 'accommodations' : digit < 9 ? 'cruises' : 'charters';
}

/** Every place with every theme that suits it. */
const journeys = places.flatMap((place) => themesOf(place).map((theme) => ({ place, theme })));

function themesOf(place: Place): readonly Theme[] {
  return themes.filter(({ kinds }) => kinds.some((kind) => place.kinds.includes(kind)));
}

/** Returns the region, or the city if several cities of the region are used, because names of journeys must differ. */
function areaOf({ city, region }: Place): string {
  return places.filter((place) => place.region === region).length > 1 ? city : region;
}

function product(index: number, context: Context): DraftFields {
  const { random, now } = context;
  // The stride has no common factor with the length of the list, so consecutive documents are in different places.
  const { place, theme } = at(journeys, index * 101);
  const days = pick(theme.days, random);
  const cents = Math.round((theme.perDayCents * days * (80 + random(60))) / 100 / 100) * 100 - 100;
  const price = pricing(cents, random);
  return {
    name: named(`${areaOf(place)} ${theme.title}`, index, journeys.length),
    shortDescription: fill(pick(theme.short, random), place, random),
    description: theme.long.map((sentence) => fill(sentence, place, random)).join(' '),
    ...whereabouts(place),
    tags: theme.tags,
    primaryCategoryName: theme.category,
    primaryCategoryId: `cat_${slugOf(theme.category)}`,
    primaryCategorySlug: slugOf(theme.category),
    categories: [theme.category],
    durationDays: days,
    board: pick(BOARDS, random),
    stars: 3 + random(3),
    bookingMode: random(4) === 0 ? 'on-request' : 'instant',
    ...price,
    ...departing(place, { days, price }, context),
    ...published(index, now),
    supplierCostCents: Math.round(cents * 0.72),
  };
}

function stay(index: number, { random, now }: Context): DraftFields {
  const place = at(places, index * 7);
  // Each round through the places uses different houses.
  const house = at(HOUSES, turnOf(index, places.length));
  const room = pick(ROOMS, random);
  const theme = at(themesOf(place), index);
  return {
    name: named(`${house} ${place.city}, ${room}`, index, places.length * HOUSES.length),
    shortDescription: `A ${room} in ${place.city}, close to ${pick(place.sights, random)}`,
    description:
      `${house} is run by a family that has lived in ${place.city} for generations. The ${room} is bright and quiet, with good beds, ` +
      `a desk and a balcony. Breakfast is served in the garden, and the kitchen knows how to make ${place.food}. ` +
      `It is a short walk to ${pick(place.sights, random)}; guests also come for ${theme.tags.join(', ')}.`,
    ...whereabouts(place),
    tags: [at(theme.tags, 0), 'breakfast', random(2) === 0 ? 'pets welcome' : 'free parking'],
    propertyId: `prop_${slugOf(house)}_${slugOf(place.city)}`,
    roomClass: room,
    board: pick(BOARDS, random),
    stars: 2 + random(4),
    maxOccupancy: 2 + random(5),
    bedroomCount: 1 + random(3),
    bathroomCount: 1 + random(2),
    smokingAllowed: false,
    ...pricing(6_900 + random(300) * 100, random),
    ...published(index, now),
  };
}

function cruise(index: number, context: Context): DraftFields {
  const { random, now } = context;
  const { from, to, river, nights: choices } = at(routes, index * 7);
  const ship = at(river ? RIVER_SHIPS : SEA_SHIPS, turnOf(index, routes.length));
  const nights = pick(choices, random);
  const cents = nights * (14_900 + random(200) * 100);
  const way = from === to ? `from ${from.city} and back` : `from ${from.city} to ${to.city}`;
  const ends = [...new Set([from, to])];
  const price = pricing(cents, random);
  return {
    name: named(
      `${river ? `${river} river` : 'Coastal'} cruise ${way}, ${ship}`,
      index,
      routes.length * SEA_SHIPS.length,
    ),
    shortDescription: `${nights} nights aboard ${ship} ${way}`,
    description:
      `${ship} casts off in ${from.city} after a welcome dinner of ${from.food}. Days on deck alternate with walks ashore: ` +
      `${at(from.sights, 0)}, small harbours without a name, and at the end ${at(to.sights, 1)}. ` +
      `All cabins look outside, the kitchen is regional, and the lecturer on board knows the history of both shores.`,
    ...whereabouts(from),
    cities: ends.map(({ city }) => city),
    countries: [...new Set(ends.map(({ country }) => country))],
    regions: [...new Set(ends.map(({ region }) => region))],
    countryCodes: [...new Set(ends.map(({ code }) => code))],
    ports: ends.map(({ city }) => city),
    tags: ['cruise', river ? 'river cruise' : 'small ship', 'full board'],
    lineName: pick(river ? RIVER_LINES : SEA_LINES, random),
    shipName: ship,
    embarkationPort: from.city,
    ...(river ? { waterways: [river] } : {}),
    nights,
    lowestCabinPriceCents: cents,
    ...price,
    ...departing(from, { days: nights + 1, price }, context),
    ...published(index, now),
  };
}

function charter(index: number, { random, now }: Context): DraftFields {
  const coasts = places.filter(({ kinds }) => kinds.includes('coast'));
  const place = at(coasts, index * 5);
  const yacht = at(YACHTS, turnOf(index, coasts.length));
  const [boat, skipper] = [pick(['Sailing yacht', 'Catamaran', 'Motor yacht', 'Gulet'], random), random(2) === 0];
  const cents = 249_000 + random(400) * 1_000;
  return {
    name: named(`${boat} ${yacht} from ${place.city}`, index, coasts.length * YACHTS.length),
    shortDescription: `${boat} ${skipper ? 'with skipper' : 'for your own crew'} along the shores of ${place.region}`,
    description:
      `${yacht} has four double cabins, a wide cockpit and a bathing platform. From ${place.city} it is half a day to ` +
      `${pick(place.sights, random)}; anchor in a quiet cove, swim, and go ashore for ${place.food}. ` +
      `${skipper ? 'Your skipper knows the winds and the best moorings.' : 'Experienced crews take her bareboat, with a licence.'} ` +
      `Paddle boards, snorkels and a dinghy with an outboard are on board.`,
    ...whereabouts(place),
    tags: ['yacht charter', skipper ? 'skippered' : 'bareboat', 'sailing'],
    yachtName: yacht,
    themes: [skipper ? 'relaxed cruising' : 'bareboat sailing', 'island hopping'],
    bookingModes: skipper ? ['crewed'] : ['bareboat', 'crewed'],
    lowestPriceCents: cents,
    earliestVoyageDate: dayOf(now, 20 + random(60)),
    latestVoyageDate: dayOf(now, 200 + random(60)),
    ...pricing(cents, random),
    ...published(index, now),
  };
}

/** Returns an index that differs between neighbours and between rounds. */
function turnOf(index: number, round: number): number {
  return (index % round) + Math.floor(index / round);
}

/** After the first round, a number distinguishes documents with the same name. */
function named(name: string, index: number, round: number): string {
  return index < round ? name : `${name} ${Math.floor(index / round) + 1}`;
}

/** One in nine documents has no price. One in three of the others has an offer that reduces its price. */
function pricing(cents: number, random: Random): Record<string, unknown> {
  if (random(9) === 0) return { hasPricing: false, hasOffer: false };
  const plain = priced(cents);
  if (random(3) > 0) return plain;
  const [percent, offer] = [5 * (1 + random(5)), pick(OFFERS, random)];
  return {
    ...plain,
    priceFromAmountCents: Math.round((cents * (100 - percent)) / 100),
    originalPriceFromAmountCents: cents,
    hasOffer: true,
    bestOfferId: `offer_${slugOf(offer)}`,
    bestOfferName: offer,
    bestOfferDiscountKind: 'percent',
    bestOfferDiscountPercent: percent,
    ...(random(3) === 0
      ? {
          hasConditionalOffer: true,
          conditionalOfferId: 'offer_group',
          conditionalOfferName: 'Group of six',
          conditionalOfferDiscountKind: 'percent',
          conditionalOfferDiscountPercent: 10,
          conditionalOfferMinPax: 6,
        }
      : {}),
  };
}

/** One in eight documents with a price has departures in the coming months. */
function departing(
  place: Place,
  { days, price }: { days: number; price: Record<string, unknown> },
  { random, now, firstDeparture }: Context,
): DraftFields {
  const zone = { departureTimezone: place.zone };
  if (random(8) > 0 || price['hasPricing'] === false) return zone;
  const [first, gap] = [10 + random(50), 14 + random(15)];
  const departures = Array.from({ length: 2 + random(4) }, (_, n) => {
    const startsAt = morningIn(place.zone, now, first + n * gap);
    // The last day ends in the afternoon.
    const endsAt = new Date(startsAt.getTime() + (days * 24 - 16) * HOUR_MS);
    return {
      departureId: demoId('dep', firstDeparture + n),
      startsAt: startsAt.toISOString(),
      endsAt: endsAt.toISOString(),
      availableUnits: 8 + random(17),
    };
  });
  return { ...zone, departures };
}

/** A deterministic pseudo-random number generator (mulberry32). */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Random = ReturnType<typeof seeded>;

function fill(sentence: string, place: Place, random: Random): string {
  const first = random(place.sights.length);
  const words: Record<string, string> = {
    city: place.city,
    region: place.region,
    sight: at(place.sights, first),
    other: at(place.sights, first + 1),
    food: place.food,
  };
  const filled = sentence.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? word);
  return filled.charAt(0).toUpperCase() + filled.slice(1);
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index % list.length];
  if (item === undefined) throw new Error('The list is empty');
  return item;
}

function pick<T>(list: readonly T[], random: Random): T {
  return at(list, random(list.length));
}
