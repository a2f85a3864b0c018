import type { Vertical } from '../fields/registry.js';
import { type Place, places } from './places.js';
import { at, fill, pick, type Random, seeded, slugOf } from './pieces.js';
import { dayOf, departing, pricing, published, whereabouts } from './facts.js';
import { routes } from './routes.js';
import { type Theme, themes } from './themes.js';

export interface Draft {
  readonly vertical: Vertical;
  readonly id: string;
  readonly fields: Record<string, unknown>;
}

const BOARDS = ['bed and breakfast', 'half board', 'full board', 'self-catering', 'all inclusive'];
const ROOMS = ['double room', 'family suite', 'garden studio', 'sea view apartment', 'mountain chalet', 'junior suite'];
const HOUSES = ['Casa Aurora', 'Villa Mirador', 'The Old Mill', 'Hotel Bellavista', 'Lantern House', 'Pension Linden'];
const RIVER_SHIPS = ['MS Danubia', 'MS Belle Rivière', 'MS Aurelia', 'MS Kingfisher'];
const SEA_SHIPS = ['MV Northern Star', 'MS Calypso', 'SY Meltemi', 'MV Halcyon Days'];
const RIVER_LINES = ['Continental River Lines', 'Towpath Cruises'];
const SEA_LINES = ['Blue Horizon', 'Aegean Small Ships', 'Lighthouse Cruises'];
const YACHTS = ['Penelope', 'Libeccio', 'Halcyon', 'Sirocco', 'Amphitrite', 'Grey Heron', 'Tramontana', 'Calliope'];

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
const journeys = places.flatMap((place) => themesOf(place).map((theme) => ({ place, theme })));

function themesOf(place: Place): readonly Theme[] {
  return themes.filter(({ kinds }) => kinds.some((kind) => place.kinds.includes(kind)));
}

/** Where a region has several of the cities, their own names tell its journeys apart. */
function areaOf({ city, region }: Place): string {
  return places.filter((place) => place.region === region).length > 1 ? city : region;
}

function product(index: number, random: Random, now: Date): Record<string, unknown> {
  // A stride that has no common factor with the list: neighbours in the catalog are far apart on the map.
  const { place, theme } = at(journeys, index * 101);
  const days = pick(theme.days, random);
  const price = Math.round((theme.perDayCents * days * (80 + random(60))) / 100 / 100) * 100 - 100;
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
    ...pricing(price, random),
    ...departing(place, { days, random, now }),
    ...published(index, now),
    supplierCostCents: Math.round(price * 0.72),
  };
}

function stay(index: number, random: Random, now: Date): Record<string, unknown> {
  const place = at(places, index * 7);
  // Whenever the places begin again, each has another house.
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

function cruise(index: number, random: Random, now: Date): Record<string, unknown> {
  const { from, to, river, nights: choices } = at(routes, index * 7);
  const ship = at(river ? RIVER_SHIPS : SEA_SHIPS, turnOf(index, routes.length));
  const nights = pick(choices, random);
  const cents = nights * (14_900 + random(200) * 100);
  const way = from === to ? `from ${from.city} and back` : `from ${from.city} to ${to.city}`;
  const ends = [...new Set([from, to])];
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
    ...pricing(cents, random),
    ...departing(from, { days: nights, random, now }),
    ...published(index, now),
  };
}

function charter(index: number, random: Random, now: Date): Record<string, unknown> {
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

/** Another one in each round, and another one than the neighbour's. */
function turnOf(index: number, round: number): number {
  return (index % round) + Math.floor(index / round);
}

/** Beyond the first round, a number tells two of one name apart. */
function named(name: string, index: number, round: number): string {
  return index < round ? name : `${name} ${Math.floor(index / round) + 1}`;
}
