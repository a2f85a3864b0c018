import { demoId } from '../../../platform/ids/id.js';
import type { CreateCustomer } from '../../customers/index.js';
import type { CreateResource } from '../../operations/index.js';
import type { CreateProduct, CreateProductUnit, PriceBody } from '../../products/index.js';

export const ZONE = 'Europe/Bucharest';

/** The demo ids of the season begin behind those that the examples of the API document name. */
const FIRST = 9001;
const idOf = (prefix: string, index: number) => demoId(prefix, FIRST + index);

export type TourName = 'boat' | 'birds' | 'forest';

interface Tour {
  product: CreateProduct & { id: string };
  units: readonly CreateProductUnit[];
  /** Price of each unit with tax, in euro cents. */
  cents: readonly number[];
  startTime: string;
  /** Local time of the end, `nights` after the day of the start. */
  endTime: string;
  nights: number;
}

const PIER = { timeZone: ZONE, facilityId: demoId('fac', 1), taxCodeId: demoId('taxc', 1) };

export const TOURS: Readonly<Record<TourName, Tour>> = {
  boat: {
    product: {
      ...{ id: idOf('prod', 0), name: 'Lakes and channels by boat', kind: 'day_tour', ...PIER },
      ...{ durationMinutes: 480, defaultCapacity: 12, minParticipants: 4, decideDaysBefore: 1 },
      cutoff: { daysBefore: 1, at: '18:00' },
      requiredContactFields: ['phone'],
      resourceNeeds: [{ type: 'boat' }, { type: 'guide' }],
      texts: [
        { locale: 'en', title: 'Lakes and channels by boat', summary: 'A day with a guide and lunch in Mila 23.' },
        { locale: 'de', title: 'Seen und Kanäle mit dem Boot', summary: 'Ein Tag mit Führung und Essen in Mila 23.' },
      ],
    },
    units: [
      { type: 'adult', name: 'Adult', minAge: 13 },
      { type: 'child', name: 'Child', minAge: 3, maxAge: 12, accompaniedBy: [idOf('punt', 0)] },
    ],
    cents: [6_800, 3_400],
    ...{ startTime: '09:00', endTime: '17:00', nights: 0 },
  },
  birds: {
    product: {
      ...{ id: idOf('prod', 1), name: 'Birds at sunrise', kind: 'day_tour', ...PIER },
      ...{ durationMinutes: 240, defaultCapacity: 8 },
      cutoff: { minutesBefore: 600 },
      resourceNeeds: [{ type: 'boat' }, { type: 'guide' }],
      texts: [
        { locale: 'en', title: 'Birds at sunrise', summary: 'Pelicans and herons from a quiet boat.' },
        { locale: 'de', title: 'Vögel bei Sonnenaufgang', summary: 'Pelikane und Reiher von einem leisen Boot aus.' },
      ],
    },
    units: [{ type: 'adult', name: 'Adult', minAge: 10 }],
    cents: [4_900],
    ...{ startTime: '05:30', endTime: '09:30', nights: 0 },
  },
  forest: {
    product: {
      ...{ id: idOf('prod', 2), name: 'Letea forest, two days', kind: 'multi_day', ...PIER },
      ...{ defaultCapacity: 10, minParticipants: 4, decideDaysBefore: 7, issueVouchers: 'when_paid' },
      cutoff: { daysBefore: 2, at: '12:00' },
      requiredTravelerFields: ['firstName', 'lastName', 'birthDate'],
      resourceNeeds: [{ type: 'boat' }, { type: 'vehicle' }, { type: 'guide' }],
      texts: [
        { locale: 'en', title: 'Letea forest, two days', summary: 'Wild horses, dunes and a night in the village.' },
        {
          locale: 'de',
          title: 'Der Wald von Letea, zwei Tage',
          summary: 'Wilde Pferde, Dünen und eine Nacht im Dorf.',
        },
      ],
    },
    units: [
      { type: 'adult', name: 'Adult', minAge: 16 },
      { type: 'youth', name: 'Youth', minAge: 8, maxAge: 15, accompaniedBy: [idOf('punt', 3)] },
    ],
    cents: [21_900, 14_900],
    ...{ startTime: '08:00', endTime: '18:30', nights: 1 },
  },
};
export const TOUR_NAMES: readonly TourName[] = ['boat', 'birds', 'forest'];
/** Unit number `position` of the tour; units are numbered through the tours. */
export function unitOf(name: TourName, position: number): string {
  const before = TOUR_NAMES.slice(0, TOUR_NAMES.indexOf(name)).flatMap((earlier) => TOURS[earlier].units);
  return idOf('punt', before.length + position);
}

export const PRICE_LIST = { name: 'Delta, this season', currency: 'EUR' };
export const PRICE_LIST_ID = idOf('plst', 0);
export const prices = (): PriceBody[] =>
  TOUR_NAMES.flatMap((name) =>
    TOURS[name].cents.map((amountCents, position) => ({
      productId: TOURS[name].product.id,
      unitId: unitOf(name, position),
      amountCents,
    })),
  );

/** Who and what serves each tour. */
export const RESOURCES: readonly (CreateResource & { serves: TourName })[] = [
  { type: 'guide', name: 'Mihai Dumitru', languages: ['ro', 'en'], serves: 'boat' },
  { type: 'boat', name: 'Boat Pelican', seats: 14, serves: 'boat' },
  { type: 'guide', name: 'Elena Petrov', languages: ['ro', 'ru', 'en', 'de'], serves: 'birds' },
  { type: 'boat', name: 'Boat Heron', seats: 9, serves: 'birds' },
  { type: 'guide', name: 'Andreea Vlad', languages: ['ro', 'en', 'fr'], serves: 'forest' },
  { type: 'boat', name: 'Boat Egret', seats: 12, serves: 'forest' },
  { type: 'vehicle', name: 'Minibus TL 21 DLT', seats: 16, serves: 'forest' },
];
export const resourceOf = (index: number) => idOf('rsrc', index);

/** Days from today on which each tour departs. */
const DEPARTURES: Readonly<Record<TourName, readonly number[]>> = {
  boat: [-12, -5, -1, 0, 1, 2, 4, 6, 8, 11, 15],
  birds: [-6, -2, 1, 3, 5, 9],
  forest: [-9, 3, 12, 20],
};

/** The name of a departure: its tour, and its day from today. */
export type DepartureName = `${TourName}${number}`;
export interface PlannedDeparture {
  name: DepartureName;
  tour: TourName;
  /** From today. */
  day: number;
}
export const PLANNED_DEPARTURES: readonly PlannedDeparture[] = TOUR_NAMES.flatMap((tour) =>
  DEPARTURES[tour].map((day) => ({ name: `${tour}${day}` as const, tour, day })),
);
export const departureOf = (wanted: DepartureName) =>
  idOf(
    'dep',
    PLANNED_DEPARTURES.findIndex(({ name }) => name === wanted),
  );

const person = (
  firstName: string,
  lastName: string,
  phone: string,
  language: string,
  country: string,
): CreateCustomer => ({
  ...{ firstName, lastName, language },
  emails: [
    {
      address: `${firstName}.${lastName}@example.com`
        .toLowerCase()
        .normalize('NFD')
        .replace(/[^a-z@.]/g, ''),
    },
  ],
  phones: [{ number: phone }],
  addresses: [{ line1: 'Main Street 1', city: 'Old Town', postalCode: '10000', country }],
});

export const CUSTOMERS: readonly CreateCustomer[] = [
  person('Ana', 'Popescu', '+40 721 555 101', 'ro', 'RO'),
  person('Lukas', 'Steiner', '+43 660 5550102', 'de', 'AT'),
  person('Claire', 'Dubois', '+33 6 39 98 01 03', 'fr', 'FR'),
  person('Giulia', 'Conti', '+39 347 555 0104', 'it', 'IT'),
  person('Tom', 'Whitfield', '+44 7700 900105', 'en', 'GB'),
  person('Katrin', 'Vogel', '+49 151 55500106', 'de', 'DE'),
  person('Ioan', 'Radu', '+40 722 555 107', 'ro', 'RO'),
  person('Marta', 'Nowak', '+48 601 555 108', 'en', 'PL'),
  person('Sanne', 'de Vries', '+31 6 55501090', 'en', 'NL'),
  person('Jorge', 'Morales', '+34 612 555 110', 'es', 'ES'),
  person('Birgit', 'Hofer', '+43 664 5550111', 'de', 'AT'),
  person('Aoife', 'Byrne', '+353 85 555 0112', 'en', 'IE'),
  person('Cristina', 'Marin', '+40 723 555 113', 'ro', 'RO'),
  person('Henrik', 'Dahl', '+47 412 55 114', 'en', 'NO'),
  person('Zsófia', 'Kovács', '+36 20 555 0115', 'en', 'HU'),
  person('Pavel', 'Novotný', '+420 601 555 116', 'en', 'CZ'),
  person('Emily', 'Carter', '+1 202 555 0117', 'en', 'US'),
  person('Stefan', 'Ilie', '+40 724 555 118', 'ro', 'RO'),
  {
    ...{ kind: 'company', companyName: 'Ornithological Society of Graz', language: 'de' },
    emails: [{ address: 'trips@birds-graz.example' }],
    phones: [{ number: '+43 316 555 0119' }],
    addresses: [{ line1: 'Schlossberg 4', city: 'Graz', postalCode: '8010', country: 'AT' }],
  },
  {
    ...{ kind: 'company', companyName: 'Black Sea Holidays SRL', language: 'ro', vatId: 'RO18547290' },
    emails: [{ address: 'groups@blacksea-holidays.example' }],
    phones: [{ number: '+40 241 555 120' }],
    addresses: [{ line1: 'Bulevardul Mamaia 77', city: 'Constanța', postalCode: '900001', country: 'RO' }],
  },
];
export const customerOf = (index: number) => idOf('cus', index);

export function tourOf(departure: DepartureName): TourName {
  const found = TOUR_NAMES.find((name) => departure.startsWith(name));
  if (!found) throw new Error(`No tour has the departure ${departure}`);
  return found;
}

export interface SeasonBooking {
  customer: number;
  departure: DepartureName;
  /** Number of each unit of the tour. */
  units: readonly number[];
  /** What the customer has paid: everything with an invoice, a part of the price, or nothing. */
  paid: 'in full' | 'in part' | 'nothing';
  /** Day of the payment, from today. */
  paidOn?: number;
  /** Named travelers besides the customer, with their age. */
  companions?: readonly [firstName: string, lastName: string, age: number][];
  /** Age of the customer. */
  age?: number;
  dietary?: readonly ('vegetarian' | 'vegan' | 'gluten_free' | 'nut_allergy')[];
  notes?: string;
  viaReseller?: boolean;
  ends?: 'draft' | 'cancelled';
}

/** In the order of booking. `boat2` is sold out, and `birds3` is called off. */
export const BOOKINGS: readonly SeasonBooking[] = [
  { customer: 0, departure: 'boat-12', units: [2, 2], paid: 'in full', paidOn: -30 },
  { customer: 4, departure: 'boat-12', units: [2, 0], paid: 'in full', paidOn: -20 },
  { customer: 10, departure: 'forest-9', units: [2, 0], paid: 'in full', paidOn: -40, age: 55 },
  { customer: 7, departure: 'forest-9', units: [2, 1], paid: 'in full', paidOn: -25, age: 43 },
  { customer: 18, departure: 'birds-6', units: [7], paid: 'in full', paidOn: -21, notes: 'Brings telescopes' },
  { customer: 2, departure: 'boat-5', units: [2, 1], paid: 'in full', paidOn: -11 },
  { customer: 12, departure: 'boat-5', units: [4, 0], paid: 'in part', paidOn: -9, notes: 'Pays the rest on the pier' },
  { customer: 13, departure: 'birds-2', units: [2], paid: 'in full', paidOn: -4 },
  { customer: 3, departure: 'birds-2', units: [3], paid: 'nothing' },
  { customer: 1, departure: 'boat-1', units: [2, 2], paid: 'in full', paidOn: -15, dietary: ['vegetarian'] },
  { customer: 8, departure: 'boat-1', units: [3, 0], paid: 'in full', paidOn: -8 },
  {
    ...{ customer: 5, departure: 'boat0', units: [2, 1], paid: 'in full', paidOn: -14, age: 39 },
    companions: [
      ['Jens', 'Vogel', 41],
      ['Mia', 'Vogel', 9],
    ],
    dietary: ['gluten_free'],
  },
  { customer: 19, departure: 'boat0', units: [6, 0], paid: 'in full', paidOn: -7, viaReseller: true },
  {
    ...{ customer: 16, departure: 'boat1', units: [2, 0], paid: 'in full', paidOn: -3, age: 36 },
    companions: [['Noah', 'Carter', 38]],
    notes: 'Celebrates a birthday on board',
  },
  { customer: 9, departure: 'boat1', units: [2, 2], paid: 'in full', paidOn: -6 },
  { customer: 15, departure: 'birds1', units: [2], paid: 'in full', paidOn: -2 },
  { customer: 6, departure: 'boat2', units: [4, 2], paid: 'in full', paidOn: -12 },
  { customer: 11, departure: 'boat2', units: [2, 0], paid: 'in full', paidOn: -5 },
  { customer: 14, departure: 'boat2', units: [3, 1], paid: 'in part', paidOn: -4 },
  { customer: 17, departure: 'birds3', units: [2], paid: 'in full', paidOn: -6 },
  { customer: 8, departure: 'birds3', units: [2], paid: 'in full', paidOn: -5 },
  { customer: 2, departure: 'birds3', units: [1], paid: 'in full', paidOn: -2 },
  {
    ...{ customer: 1, departure: 'forest3', units: [2, 2], paid: 'in full', paidOn: -18, age: 47 },
    companions: [
      ['Eva', 'Steiner', 45],
      ['Paul', 'Steiner', 12],
      ['Lena', 'Steiner', 10],
    ],
    dietary: ['vegetarian'],
  },
  { customer: 13, departure: 'forest3', units: [2, 0], paid: 'nothing', age: 51 },
  { customer: 4, departure: 'boat4', units: [2, 1], paid: 'nothing' },
  { customer: 19, departure: 'boat4', units: [5, 0], paid: 'nothing', viaReseller: true },
  { customer: 12, departure: 'boat6', units: [2, 0], paid: 'nothing' },
  { customer: 3, departure: 'boat6', units: [2, 1], paid: 'nothing', ends: 'cancelled' },
  { customer: 7, departure: 'birds9', units: [2], paid: 'nothing' },
  { customer: 0, departure: 'forest12', units: [2, 1], paid: 'in part', paidOn: -1, age: 42 },
  {
    customer: 10,
    departure: 'forest20',
    units: [2, 0],
    paid: 'nothing',
    ends: 'draft',
    notes: 'Asks for a single room',
  },
  {
    customer: 5,
    departure: 'boat11',
    units: [4, 0],
    paid: 'nothing',
    ends: 'draft',
    notes: 'Wants to add two children',
  },
];
export const bookingOf = (index: number) => idOf('book', index);
export const invoiceOf = (index: number) => idOf('inv', index);
export const travelerOf = (booking: number, position: number) => demoId('trav', FIRST + 10 * booking + position);

/** Customers who wait for units of the departure that is sold out, and how many adults. */
export const WAITING: readonly { customer: number; adults: number; note?: string }[] = [
  { customer: 15, adults: 2 },
  { customer: 16, adults: 3, note: 'Would also take the next day' },
];
export const waitingOf = (index: number) => idOf('wait', index);
export const callOffId = idOf('coff', 0);
export const callOffItem = (position: number) => idOf('coit', position);
