import { localMoney } from '../../../platform/money/local-money.js';
import { dayInWords, departureTimeInWords } from '../../../platform/time/day-in-words.js';
import type { DocumentLanguage } from '../../organization/index.js';
import { filled } from '../../notifications/index.js';
import type { CallOffItem } from './call-off-item.entity.js';

/** When a departure starts; the day is the local one. */
interface DepartureTime {
  startDate: string;
  startsAt: Date;
  timeZone: string;
}

/** What the mail to a customer states. */
export interface CallOffFacts {
  /** Null for a trip without a booking. */
  bookingNumber: string | null;
  /** Title of the product in the language of the mail; null if it has no record. */
  tour: string | null;
  /** The departure that was called off. */
  departure: DepartureTime;
  /** The departure to which the booking was moved. */
  target: DepartureTime | null;
  /** Whether the whole booking was cancelled, not only a part of it. */
  isWhole: boolean;
  note: string | null;
}

/** Texts with `{what}`, `{number}`, `{tour}`, `{day}`, `{time}` (a day with its time) and `{amount}`. */
interface Texts {
  trip: string;
  booking: string;
  subject: string;
  calledOff: string;
  /** For a product without a title. */
  unnamedCalledOff: string;
  moved: string;
  movedAtSamePrice: string;
  kept: string;
  released: string;
  cancelled: string;
  partCancelled: string;
  refunded: string;
  credited: string;
  open: string;
}

const TEXTS: Readonly<Record<DocumentLanguage, Texts>> = {
  en: {
    trip: 'your trip',
    booking: 'your booking {number}',
    subject: 'The departure of {what} on {day} is called off',
    calledOff: 'unfortunately we had to call off {tour} on {time}, which is part of {what}.',
    unnamedCalledOff: 'unfortunately we had to call off the departure of {what} on {time}.',
    moved: 'Your booking is moved to the departure on {time}.',
    movedAtSamePrice: 'Your booking is moved to the departure on {time}, at the same price.',
    kept: 'We will contact you about your booking.',
    released: 'Your reservation has ended. It costs you nothing.',
    cancelled: 'Your booking is cancelled, free of charge.',
    partCancelled: 'The services of this departure are cancelled, free of charge.',
    refunded: 'We will refund {amount}.',
    credited: 'You have a credit of {amount} for another booking.',
    open: 'We will contact you about what you have paid.',
  },
  de: {
    trip: 'Ihrer Reise',
    booking: 'Ihrer Buchung {number}',
    subject: 'Die Abfahrt {what} am {day} fällt aus',
    calledOff: 'leider mussten wir {tour} am {time} absagen. Dieser Termin ist Teil {what}.',
    unnamedCalledOff: 'leider mussten wir die Abfahrt {what} am {time} absagen.',
    moved: 'Ihre Buchung gilt nun für die Abfahrt am {time}.',
    movedAtSamePrice: 'Ihre Buchung gilt nun für die Abfahrt am {time}, zum selben Preis.',
    kept: 'Wir melden uns wegen Ihrer Buchung bei Ihnen.',
    released: 'Ihre Reservierung ist beendet. Für Sie entstehen keine Kosten.',
    cancelled: 'Ihre Buchung ist storniert, ohne Kosten für Sie.',
    partCancelled: 'Die Leistungen dieser Abfahrt sind storniert, ohne Kosten für Sie.',
    refunded: 'Wir erstatten Ihnen {amount}.',
    credited: 'Sie haben ein Guthaben von {amount} für eine andere Buchung.',
    open: 'Wegen Ihrer Zahlungen melden wir uns bei Ihnen.',
  },
  fr: {
    trip: 'de votre voyage',
    booking: 'de votre réservation {number}',
    subject: 'Le départ {what} du {day} est annulé',
    calledOff: 'Nous avons malheureusement dû annuler {tour} du {time}, qui fait partie {what}.',
    unnamedCalledOff: 'Nous avons malheureusement dû annuler le départ {what} du {time}.',
    moved: 'Votre réservation est reportée au départ du {time}.',
    movedAtSamePrice: 'Votre réservation est reportée au départ du {time}, au même prix.',
    kept: 'Nous vous contacterons au sujet de votre réservation.',
    released: 'Votre option a pris fin. Elle ne vous coûte rien.',
    cancelled: 'Votre réservation est annulée, sans frais pour vous.',
    partCancelled: 'Les prestations de ce départ sont annulées, sans frais pour vous.',
    refunded: 'Nous vous rembourserons {amount}.',
    credited: 'Vous disposez d’un avoir de {amount} pour une autre réservation.',
    open: 'Nous vous contacterons au sujet de vos paiements.',
  },
  es: {
    trip: 'de su viaje',
    booking: 'de su reserva {number}',
    subject: 'La salida {what} del {day} se ha cancelado',
    calledOff: 'Lamentablemente hemos tenido que cancelar {tour} del {time}, que forma parte {what}.',
    unnamedCalledOff: 'Lamentablemente hemos tenido que cancelar la salida {what} del {time}.',
    moved: 'Su reserva pasa a la salida del {time}.',
    movedAtSamePrice: 'Su reserva pasa a la salida del {time}, al mismo precio.',
    kept: 'Nos pondremos en contacto con usted sobre su reserva.',
    released: 'Su reserva provisional ha terminado. No le cuesta nada.',
    cancelled: 'Su reserva está cancelada, sin coste para usted.',
    partCancelled: 'Los servicios de esta salida están cancelados, sin coste para usted.',
    refunded: 'Le devolveremos {amount}.',
    credited: 'Tiene un saldo de {amount} para otra reserva.',
    open: 'Nos pondremos en contacto con usted sobre sus pagos.',
  },
  it: {
    trip: 'del Suo viaggio',
    booking: 'della Sua prenotazione {number}',
    subject: 'La partenza {what} in data {day} è annullata',
    calledOff: 'purtroppo abbiamo dovuto annullare {tour} in data {time}, che fa parte {what}.',
    unnamedCalledOff: 'purtroppo abbiamo dovuto annullare la partenza {what} in data {time}.',
    moved: 'La Sua prenotazione è spostata alla partenza in data {time}.',
    movedAtSamePrice: 'La Sua prenotazione è spostata alla partenza in data {time}, allo stesso prezzo.',
    kept: 'La contatteremo per la Sua prenotazione.',
    released: 'La Sua opzione è terminata. Non Le costa nulla.',
    cancelled: 'La Sua prenotazione è annullata, senza costi per Lei.',
    partCancelled: 'I servizi di questa partenza sono annullati, senza costi per Lei.',
    refunded: 'Le rimborseremo {amount}.',
    credited: 'Ha un credito di {amount} per un’altra prenotazione.',
    open: 'La contatteremo per i Suoi pagamenti.',
  },
  ro: {
    trip: 'călătoriei dumneavoastră',
    booking: 'rezervării dumneavoastră {number}',
    subject: 'Plecarea {what} din {day} este anulată',
    calledOff: 'Din păcate a trebuit să anulăm {tour} din {time}, parte a {what}.',
    unnamedCalledOff: 'Din păcate a trebuit să anulăm plecarea {what} din {time}.',
    moved: 'Rezervarea dumneavoastră este mutată la plecarea din {time}.',
    movedAtSamePrice: 'Rezervarea dumneavoastră este mutată la plecarea din {time}, la același preț.',
    kept: 'Vă vom contacta în legătură cu rezervarea.',
    released: 'Opțiunea dumneavoastră s-a încheiat. Nu vă costă nimic.',
    cancelled: 'Rezervarea dumneavoastră este anulată, fără costuri pentru dumneavoastră.',
    partCancelled: 'Serviciile acestei plecări sunt anulate, fără costuri pentru dumneavoastră.',
    refunded: 'Vă vom rambursa {amount}.',
    credited: 'Aveți un credit de {amount} pentru o altă rezervare.',
    open: 'Vă vom contacta în legătură cu plățile dumneavoastră.',
  },
};

type Called = Pick<CallOffItem, 'action' | 'reprice' | 'currency' | 'refundedCents' | 'creditedCents' | 'openCents'>;

/** Returns the subject and the paragraphs of the mail about a departure that was called off. */
export function callOffMail(
  item: Called,
  { bookingNumber, note, ...facts }: CallOffFacts,
  language: DocumentLanguage,
): { subject: string; paragraphs: string[] } {
  const texts = TEXTS[language];
  const what = bookingNumber === null ? texts.trip : filled(texts.booking, { number: bookingNumber });
  const { tour, departure } = facts;
  const values = {
    what,
    tour: tour ?? '',
    day: dayInWords(departure.startDate, language),
    time: departureTimeInWords(departure, language),
  };
  return {
    subject: filled(texts.subject, values),
    paragraphs: [
      filled(tour === null ? texts.unnamedCalledOff : texts.calledOff, values),
      ...outcome(item, facts, language),
      ...(note ? [note] : []),
    ],
  };
}

function outcome(
  { action, reprice, currency, refundedCents, creditedCents, openCents }: Called,
  { target, isWhole }: Pick<CallOffFacts, 'target' | 'isWhole'>,
  language: DocumentLanguage,
): string[] {
  const texts = TEXTS[language];
  const withAmount = (text: string, cents: number) =>
    filled(text, { amount: localMoney({ cents, currency }, language) });
  switch (action) {
    case 'move': {
      const time = target === null ? '' : departureTimeInWords(target, language);
      return [filled(reprice ? texts.moved : texts.movedAtSamePrice, { time })];
    }
    case 'keep':
      return [texts.kept];
    case 'release':
      return [texts.released];
    case 'cancel':
      return [
        isWhole ? texts.cancelled : texts.partCancelled,
        ...(refundedCents > 0 ? [withAmount(texts.refunded, refundedCents)] : []),
        ...(creditedCents > 0 ? [withAmount(texts.credited, creditedCents)] : []),
        ...(openCents > 0 ? [texts.open] : []),
      ];
  }
}
