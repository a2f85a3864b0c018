import type { DocumentLanguage } from '../../organization/index.js';
import type { RoomType } from './rooming.dto.js';

/** The words of a printed rooming list. */
export interface RoomingLabels {
  /** Separates a label from its value. French has a no-break space before it. */
  colon: string;
  title: string;
  product: string;
  start: string;
  asOf: string;
  withoutRoom: string;
  rooms: string;
  totals: string;
  booking: string;
  name: string;
  customer: string;
  unit: string;
  age: string;
  room: string;
  facility: string;
  type: string;
  nights: string;
  beds: string;
  people: string;
  note: string;
  provisional: string;
  /** People in a room, and its beds. */
  ofBeds: (people: number, capacity: number) => string;
  aged: (years: number) => string;
  types: Readonly<Record<RoomType, string>>;
}

export const ROOMING_LABELS: Readonly<Record<DocumentLanguage, RoomingLabels>> = {
  en: {
    colon: ':',
    title: 'Rooming list',
    product: 'Product',
    start: 'Start',
    asOf: 'As of',
    withoutRoom: 'Without a room',
    rooms: 'Rooms',
    totals: 'Totals per night',
    booking: 'Booking',
    name: 'Name',
    customer: 'Customer',
    unit: 'Unit',
    age: 'Age',
    room: 'Room',
    facility: 'Facility',
    type: 'Type',
    nights: 'Nights',
    beds: 'Beds',
    people: 'People',
    note: 'Note',
    provisional: 'provisional',
    ofBeds: (people, capacity) => `${people} of ${capacity}`,
    aged: (years) => `age ${years}`,
    types: {
      single: 'single',
      double: 'double',
      twin: 'twin',
      triple: 'triple',
      quad: 'quad',
      family: 'family',
      dorm: 'dorm',
    },
  },
  de: {
    colon: ':',
    title: 'Zimmerliste',
    product: 'Produkt',
    start: 'Beginn',
    asOf: 'Stand',
    withoutRoom: 'Ohne Zimmer',
    rooms: 'Zimmer',
    totals: 'Summen pro Nacht',
    booking: 'Buchung',
    name: 'Name',
    customer: 'Kunde',
    unit: 'Leistung',
    age: 'Alter',
    room: 'Zimmer',
    facility: 'Haus',
    type: 'Art',
    nights: 'Nächte',
    beds: 'Betten',
    people: 'Personen',
    note: 'Hinweis',
    provisional: 'vorläufig',
    ofBeds: (people, capacity) => `${people} von ${capacity}`,
    aged: (years) => `${years} Jahre`,
    types: {
      single: 'Einzel',
      double: 'Doppel',
      twin: 'Zweibett',
      triple: 'Dreibett',
      quad: 'Vierbett',
      family: 'Familie',
      dorm: 'Schlafsaal',
    },
  },
  fr: {
    colon: '\u00a0:',
    title: 'Liste des chambres',
    product: 'Produit',
    start: 'Début',
    asOf: 'État au',
    withoutRoom: 'Sans chambre',
    rooms: 'Chambres',
    totals: 'Totaux par nuit',
    booking: 'Réservation',
    name: 'Nom',
    customer: 'Client',
    unit: 'Prestation',
    age: 'Âge',
    room: 'Chambre',
    facility: 'Établissement',
    type: 'Type',
    nights: 'Nuits',
    beds: 'Lits',
    people: 'Personnes',
    note: 'Note',
    provisional: 'provisoire',
    ofBeds: (people, capacity) => `${people} sur ${capacity}`,
    aged: (years) => `${years} ans`,
    types: {
      single: 'simple',
      double: 'double',
      twin: 'lits jumeaux',
      triple: 'triple',
      quad: 'quadruple',
      family: 'familiale',
      dorm: 'dortoir',
    },
  },
  es: {
    colon: ':',
    title: 'Lista de habitaciones',
    product: 'Producto',
    start: 'Inicio',
    asOf: 'Estado a',
    withoutRoom: 'Sin habitación',
    rooms: 'Habitaciones',
    totals: 'Totales por noche',
    booking: 'Reserva',
    name: 'Nombre',
    customer: 'Cliente',
    unit: 'Servicio',
    age: 'Edad',
    room: 'Habitación',
    facility: 'Establecimiento',
    type: 'Tipo',
    nights: 'Noches',
    beds: 'Camas',
    people: 'Personas',
    note: 'Nota',
    provisional: 'provisional',
    ofBeds: (people, capacity) => `${people} de ${capacity}`,
    aged: (years) => `${years} años`,
    types: {
      single: 'individual',
      double: 'doble',
      twin: 'dos camas',
      triple: 'triple',
      quad: 'cuádruple',
      family: 'familiar',
      dorm: 'dormitorio',
    },
  },
  it: {
    colon: ':',
    title: 'Lista delle camere',
    product: 'Prodotto',
    start: 'Inizio',
    asOf: 'Aggiornato al',
    withoutRoom: 'Senza camera',
    rooms: 'Camere',
    totals: 'Totali per notte',
    booking: 'Prenotazione',
    name: 'Nome',
    customer: 'Cliente',
    unit: 'Servizio',
    age: 'Età',
    room: 'Camera',
    facility: 'Struttura',
    type: 'Tipo',
    nights: 'Notti',
    beds: 'Letti',
    people: 'Persone',
    note: 'Nota',
    provisional: 'provvisoria',
    ofBeds: (people, capacity) => `${people} di ${capacity}`,
    aged: (years) => `${years} anni`,
    types: {
      single: 'singola',
      double: 'matrimoniale',
      twin: 'due letti',
      triple: 'tripla',
      quad: 'quadrupla',
      family: 'familiare',
      dorm: 'dormitorio',
    },
  },
  ro: {
    colon: ':',
    title: 'Listă de camere',
    product: 'Produs',
    start: 'Început',
    asOf: 'Situația la',
    withoutRoom: 'Fără cameră',
    rooms: 'Camere',
    totals: 'Totaluri pe noapte',
    booking: 'Rezervare',
    name: 'Nume',
    customer: 'Client',
    unit: 'Serviciu',
    age: 'Vârstă',
    room: 'Cameră',
    facility: 'Unitate',
    type: 'Tip',
    nights: 'Nopți',
    beds: 'Paturi',
    people: 'Persoane',
    note: 'Notă',
    provisional: 'provizorie',
    ofBeds: (people, capacity) => `${people} din ${capacity}`,
    aged: (years) => `${years} ani`,
    types: {
      single: 'single',
      double: 'dublă',
      twin: 'două paturi',
      triple: 'triplă',
      quad: 'cvadruplă',
      family: 'de familie',
      dorm: 'dormitor comun',
    },
  },
};
