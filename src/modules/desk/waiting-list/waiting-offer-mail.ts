import { LINK } from '../../notifications/index.js';
import type { DepartureSummary } from '../../operations/index.js';
import type { DocumentLanguage } from '../../organization/index.js';
import { filled } from '../../notifications/index.js';

/** What the mail about an offer states. */
export interface OfferFacts {
  /** Name of the product; null if it has no record. */
  product: string | null;
  departure: Pick<DepartureSummary, 'startsAt' | 'timeZone'>;
  seats: number;
  expiresAt: Date;
}

/** Texts with `{places}`, `{product}`, `{start}` and `{end}`. */
interface Texts {
  departure: string;
  place: string;
  /** With `{count}`. */
  places: string;
  subject: string;
  free: string;
  held: string;
  next: string;
}

const TEXTS: Readonly<Record<DocumentLanguage, Texts>> = {
  en: {
    departure: 'the departure',
    place: '1 place',
    places: '{count} places',
    subject: 'There is room for you: {product}, {start}',
    free: 'you are on our waiting list, and now there is room for you: {places} on {product}, {start}.',
    held: 'We hold this offer for you until {end}. Please take or decline it by then on this page:',
    next: 'If we do not hear from you, we offer it to the next customer.',
  },
  de: {
    departure: 'die Abfahrt',
    place: '1 Platz',
    places: '{count} Plätze',
    subject: 'Es ist Platz für Sie frei: {product}, {start}',
    free: 'Sie stehen auf unserer Warteliste, und nun ist Platz für Sie frei: {places}, {product}, {start}.',
    held: 'Wir halten dieses Angebot bis {end} für Sie frei. Bitte nehmen Sie es bis dahin auf dieser Seite an oder lehnen Sie es ab:',
    next: 'Wenn wir nichts von Ihnen hören, bieten wir es den nächsten Kunden an.',
  },
  fr: {
    departure: 'le départ',
    place: '1 place',
    places: '{count} places',
    subject: 'Une place s’est libérée pour vous : {product}, {start}',
    free: 'Vous êtes sur notre liste d’attente, et il y a maintenant de la place pour vous : {places}, {product}, {start}.',
    held: 'Nous vous réservons cette offre jusqu’au {end}. Veuillez l’accepter ou la refuser d’ici là sur cette page :',
    next: 'Sans réponse de votre part, nous la proposerons au client suivant.',
  },
  es: {
    departure: 'la salida',
    place: '1 plaza',
    places: '{count} plazas',
    subject: 'Hay sitio para usted: {product}, {start}',
    free: 'Está en nuestra lista de espera y ahora hay sitio para usted: {places}, {product}, {start}.',
    held: 'Le reservamos esta oferta hasta el {end}. Acéptela o rechácela hasta entonces en esta página:',
    next: 'Si no tenemos noticias suyas, se la ofreceremos al siguiente cliente.',
  },
  it: {
    departure: 'la partenza',
    place: '1 posto',
    places: '{count} posti',
    subject: 'C’è posto per Lei: {product}, {start}',
    free: 'Lei è nella nostra lista d’attesa e ora c’è posto: {places}, {product}, {start}.',
    held: 'Le riserviamo questa offerta fino al {end}. La accetti o la rifiuti entro allora in questa pagina:',
    next: 'Se non abbiamo Sue notizie, la offriremo al cliente successivo.',
  },
  ro: {
    departure: 'plecarea',
    place: '1 loc',
    places: '{count} locuri',
    subject: 'S-a eliberat un loc pentru dumneavoastră: {product}, {start}',
    free: 'Sunteți pe lista noastră de așteptare, iar acum există loc: {places}, {product}, {start}.',
    held: 'Vă păstrăm această ofertă până la {end}. Acceptați-o sau refuzați-o până atunci pe această pagină:',
    next: 'Dacă nu primim un răspuns, o oferim următorului client.',
  },
};

/** Returns the subject and the paragraphs of the mail that offers freed units. Times are local to the departure. */
export function waitingOfferMail(
  { product, departure: { startsAt, timeZone }, seats, expiresAt }: OfferFacts,
  language: DocumentLanguage,
): { subject: string; paragraphs: string[] } {
  const texts = TEXTS[language];
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone });
  const values = {
    product: product ?? texts.departure,
    places: seats === 1 ? texts.place : filled(texts.places, { count: String(seats) }),
    start: format.format(startsAt),
    end: `${format.format(expiresAt)} (${timeZone})`,
  };
  return {
    subject: filled(texts.subject, values),
    paragraphs: [filled(texts.free, values), filled(texts.held, values), LINK, filled(texts.next, values)],
  };
}
