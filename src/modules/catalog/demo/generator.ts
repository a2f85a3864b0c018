import type { Vertical } from '../fields/registry.js';
import { places } from './places.js';
import { at, fill, pick, type Random, seeded, slugOf } from './pieces.js';
import { dayOf, departing, pricing, published, whereabouts } from './facts.js';
import { themes } from './themes.js';

export interface Draft {
  readonly vertical: Vertical;
  readonly id: string;
  readonly fields: Record<string, unknown>;
}

const BOARDS = ['bed and breakfast', 'half board', 'full board', 'self-catering', 'all inclusive'];
const ROOMS = ['double room', 'family suite', 'garden studio', 'sea view apartment', 'mountain chalet', 'junior suite'];
const HOUSES = ['Casa Aurora', 'Villa Mirador', 'The Old Mill', 'Hotel Bellavista', 'Lantern House', 'Pension Linden'];
const SHIPS = ['MS Aurelia', 'MS Danubia', 'SY Meltemi', 'MV Northern Star', 'MS Belle Rivière', 'MS Calypso'];
const LINES = ['Blue Horizon', 'Continental River Lines', 'Aegean Small Ships', 'Polar & Coast'];
const YACHTS = ['Penelope', 'Libeccio', 'Halcyon', 'Sirocco', 'Amphitrite', 'Grey Heron', 'Tramontana', 'Calliope'];
const WATERS: Readonly<Record<string, string>> = {
  Cologne: 'Rhine',
  Vienna: 'Danube',
  Budapest: 'Danube',
  Porto: 'Douro',
  Bordeaux: 'Garonne',
  Avignon: 'Rhône',
  Luxor: 'Nile',
  Paris: 'Seine',
  Prague: 'Vltava',
  Venice: 'Po',
};

/** So many documents, the same ones each time; in ten there are five or six products, two stays, a cruise and a charter. */
export function* drafts(count: number, now: Date): Generator<Draft> {
  const made = { products: 0, accommodations: 0, cruises: 0, charters: 0 };
  for (let index = 0; index < count; index += 1) {
    const random = seeded(index * 7919 + 17);
    const vertical = verticalOf(index);
    made[vertical] += 1;
    const id = `${PREFIXES[vertical]}_${String(made[vertical]).padStart(4, '0')}`;
    yield { vertical, id, fields: FIELDS[vertical](made[vertical] - 1, random, now) };
  }
}

const PREFIXES: Record<Vertical, string> = {
  products: 'prod',
  accommodations: 'acco',
  cruises: 'crui',
  charters: 'char',
};
const FIELDS: Record<Vertical, (index: number, random: Random, now: Date) => Record<string, unknown>> = {
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
const journeys = places.flatMap((place) =>
  themes.filter(({ kinds }) => kinds.some((kind) => place.kinds.includes(kind))).map((theme) => ({ place, theme })),
);

function product(index: number, random: Random, now: Date): Record<string, unknown> {
  // A stride that has no common factor with the list: neighbours in the catalog are far apart on the map.
  const { place, theme } = at(journeys, index * 101);
  const days = pick(theme.days, random);
  const price = Math.round((theme.perDayCents * days * (80 + random(60))) / 100 / 100) * 100 - 100;
  return {
    name: named(`${place.region} ${theme.title}`, index, journeys.length),
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
    ...pricing(price, random),
    ...departing(place, { days, random, now }),
    ...published(index, now),
    supplierCostCents: Math.round(price * 0.72),
  };
}

function stay(index: number, random: Random, now: Date): Record<string, unknown> {
  const place = at(places, index * 7);
  const [house, room] = [pick(HOUSES, random), pick(ROOMS, random)];
  const theme = at(themes, index * 5);
  return {
    name: named(`${house} ${place.city}, ${room}`, index, places.length),
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

function cruise(index: number, random: Random, now: Date): Record<string, unknown> {
  const shores = places.filter(({ kinds }) => kinds.includes('river') || kinds.includes('coast'));
  const [from, to] = [at(shores, index * 3), at(shores, index * 3 + 5)];
  const [ship, nights] = [pick(SHIPS, random), pick([5, 7, 10, 12], random)];
  const water = WATERS[from.city];
  const cents = nights * (14_900 + random(200) * 100);
  return {
    name: named(`${from.city} to ${to.city} ${water ? `${water} river` : 'coastal'} cruise`, index, shores.length),
    shortDescription: `${nights} nights aboard ${ship} between ${from.region} and ${to.region}`,
    description:
      `${ship} casts off in ${from.city} after a welcome dinner of ${from.food}. Days on deck alternate with walks ashore: ` +
      `${pick(from.sights, random)}, small harbours without a name, and at the end ${pick(to.sights, random)}. ` +
      `All cabins look outside, the kitchen is regional, and the lecturer on board knows the history of both shores.`,
    ...whereabouts(from),
    cities: [from.city, to.city],
    countries: [...new Set([from.country, to.country])],
    regions: [...new Set([from.region, to.region])],
    countryCodes: [...new Set([from.code, to.code])],
    ports: [from.city, to.city],
    tags: ['cruise', water ? 'river cruise' : 'small ship', 'full board'],
    lineName: pick(LINES, random),
    shipName: ship,
    embarkationPort: from.city,
    ...(water ? { waterways: [water] } : {}),
    nights,
    lowestCabinPriceCents: cents,
    ...pricing(cents, random),
    ...departing(from, { days: nights, random, now }),
    ...published(index, now),
  };
}

function charter(index: number, random: Random, now: Date): Record<string, unknown> {
  const coasts = places.filter(({ kinds }) => kinds.includes('coast') || kinds.includes('island'));
  const place = at(coasts, index * 5);
  const yacht = pick(YACHTS, random);
  const [boat, skipper] = [pick(['Sailing yacht', 'Catamaran', 'Motor yacht', 'Gulet'], random), random(2) === 0];
  const cents = 249_000 + random(400) * 1_000;
  return {
    name: named(`${boat} ${yacht} from ${place.city}`, index, coasts.length),
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

/** Beyond the first round, a number tells two of one name apart. */
function named(name: string, index: number, round: number): string {
  return index < round ? name : `${name} ${Math.floor(index / round) + 1}`;
}
