import { demoId } from '../../../platform/ids/id.js';
import { morningIn, type Draft, priced, published, slugOf, whereabouts } from './demo-fields.js';
import { placeIn } from './demo-places.js';

/** A tour with departures that the demo data of other modules sells. */
interface Tour {
  readonly name: string;
  /** Same as in `demo-places.ts`. */
  readonly place: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly short: string;
  readonly long: string;
  /** Calendar days of travel, and the hours from the start to the end. */
  readonly days: number;
  readonly hours: number;
  readonly board: string;
  readonly priceCents: number;
  readonly capacity: number;
  /** The number of each departure's demo id, and the days until it starts. */
  readonly departures: readonly (readonly [number: number, inDays: number])[];
}

const TULCEA =
  'Tulcea|Danube Delta|Romania|RO|Europe/Bucharest|45.18,28.80|river wild|the Letea forest;the pelican colonies;Sulina|fish soup and pike perch';
const INNSBRUCK =
  'Innsbruck|Tyrol|Austria|AT|Europe/Vienna|47.27,11.39|mountain|the Nordkette;the Stubai glacier|dumplings and Kaiserschmarrn';
const LINDAU =
  'Lindau|Lake Constance|Germany|DE|Europe/Berlin|47.55,9.69|river mountain|the lion of the harbour;Mainau island|whitefish and Swabian noodles';
const VIENNA =
  'Vienna|Vienna|Austria|AT|Europe/Vienna|48.21,16.37|city|Schönbrunn palace;the Hofburg|schnitzel and Sachertorte';
const BRASOV =
  'Brașov|Transylvania|Romania|RO|Europe/Bucharest|45.65,25.61|mountain city|Bran castle;the Black Church|papanași and polenta';
const LOFOTEN =
  'Svolvær|Lofoten|Norway|NO|Europe/Oslo|68.23,14.57|arctic snow|the Trollfjord;the fishing huts of Henningsvær|stockfish and cloudberries';

/**
 * Products 1 to 6. The examples of departures read 1, change 2, cancel 3, book 4 and 5, close the sales of 6, open the sales of
 * 7, guarantee 8 and call off 17; 18 is called off. Bookings that depart in six months use 9 to 12.
 */
const TOURS: readonly Tour[] = [
  {
    name: 'Danube Delta by boat',
    place: TULCEA,
    category: 'Wildlife',
    tags: ['wildlife', 'boat', 'day trip'],
    short: 'A day among pelicans and water lilies, by small boat from Tulcea',
    long: 'The boat leaves the river port of Tulcea in the morning and follows narrow channels to the pelican colonies. Lunch is fish soup at a fisherman’s table in Letea, before a walk through the oldest forest of Romania. In the evening the boat is back at the pier.',
    days: 1,
    hours: 9,
    board: 'lunch included',
    priceCents: 5_900,
    capacity: 20,
    departures: [
      [1, 60],
      [2, 67],
      [3, 74],
      [6, 81],
      [7, 88],
    ],
  },
  {
    name: 'Alpine crossing',
    place: INNSBRUCK,
    category: 'Hiking holidays',
    tags: ['hiking', 'mountains', 'guided'],
    short: 'Five days on foot across the Alps, from hut to hut',
    long: 'From Innsbruck a mountain guide leads a small group over three passes to the south side of the Alps. Nights are spent in huts with warm meals, and the luggage travels ahead. Walking times are five to seven hours a day.',
    days: 5,
    hours: 100,
    board: 'half board',
    priceCents: 59_500,
    capacity: 12,
    departures: [
      [4, 90],
      [5, 120],
      [8, 150],
      [9, 180],
    ],
  },
  {
    name: 'Lake Constance cruise',
    place: LINDAU,
    category: 'Cruises',
    tags: ['cruise', 'lake', 'small ship'],
    short: 'Three days by ship around a lake with three countries',
    long: 'The ship leaves the harbour of Lindau and calls at Bregenz, Constance and the island of Mainau. Two nights are spent in a hotel by the water. There is time for the gardens, a castle and whitefish on the quay.',
    days: 3,
    hours: 57,
    board: 'half board',
    priceCents: 59_500,
    capacity: 30,
    departures: [
      [13, 52],
      [10, 180],
    ],
  },
  {
    name: 'Vienna museums and music',
    place: VIENNA,
    category: 'City breaks',
    tags: ['city', 'culture', 'music'],
    short: 'Four days of paintings, palaces and an evening at the opera',
    long: 'A central hotel, an art historian as guide, and tickets for the opera. Mornings belong to the museums, afternoons to coffee houses and the park of Schönbrunn palace. Stay another night if you like.',
    days: 4,
    hours: 80,
    board: 'bed and breakfast',
    priceCents: 59_500,
    capacity: 16,
    departures: [
      [14, 45],
      [18, 66],
      [11, 180],
    ],
  },
  {
    name: 'Transylvania round trip',
    place: BRASOV,
    category: 'Cultural tours',
    tags: ['culture', 'round trip', 'castles'],
    short: 'Six days by coach to castles, fortified churches and mountain villages',
    long: 'The coach starts in Brașov and visits Bran castle, Sighișoara and the fortified churches of the Saxons. Dinners are served in guest houses, with polenta and plum brandy. The local guide knows every key keeper.',
    days: 6,
    hours: 128,
    board: 'half board',
    priceCents: 59_500,
    capacity: 45,
    departures: [
      [15, 38],
      [12, 180],
    ],
  },
  {
    name: 'Northern lights in Lofoten',
    place: LOFOTEN,
    category: 'Winter adventures',
    tags: ['winter', 'northern lights', 'nature'],
    short: 'Five winter nights in a fishing hut beneath the aurora',
    long: 'A red fishing hut by the harbour of Svolvær is home for five days. By day there are boat trips into the Trollfjord, by night a guide drives to wherever the sky is clear. Warm suits are provided.',
    days: 5,
    hours: 100,
    board: 'half board',
    priceCents: 129_000,
    capacity: 14,
    departures: [
      [16, 35],
      [17, 49],
    ],
  },
];

export const TOUR_COUNT = TOURS.length;

/** The documents of the tours. Their departures are planned with all units free. */
export function demoTours(now: Date): Draft[] {
  return TOURS.map((tour, index) => {
    const place = placeIn(tour.place);
    return {
      vertical: 'products',
      id: demoId('prod', index + 1),
      fields: {
        name: tour.name,
        shortDescription: tour.short,
        description: tour.long,
        ...whereabouts(place),
        tags: tour.tags,
        primaryCategoryName: tour.category,
        primaryCategoryId: `cat_${slugOf(tour.category)}`,
        primaryCategorySlug: slugOf(tour.category),
        categories: [tour.category],
        durationDays: tour.days,
        board: tour.board,
        stars: 4,
        bookingMode: 'instant',
        ...priced(tour.priceCents),
        departureTimezone: place.zone,
        departures: tour.departures.map(([number, inDays]) => {
          const startsAt = morningIn(place.zone, now, inDays);
          return {
            departureId: demoId('dep', number),
            startsAt: startsAt.toISOString(),
            endsAt: new Date(startsAt.getTime() + tour.hours * 3_600_000).toISOString(),
            availableUnits: tour.capacity,
          };
        }),
        ...published(index, now),
        supplierCostCents: Math.round(tour.priceCents * 0.72),
      },
    };
  });
}
