import { localMoney } from '../../../platform/money/local-money.js';
import { dayInWords } from '../../../platform/time/day-in-words.js';
import type { DocumentLanguage } from '../../organization/index.js';
import { filled } from '../filled-text.js';
import type { CallOffItem } from './call-off-item.entity.js';

/** What the mail to a customer states. */
export interface CallOffFacts {
  /** Null for a trip without a booking. */
  bookingNumber: string | null;
  /** Local day of the departure that was called off. */
  day: string;
  /** Local day of the departure to which the booking was moved. */
  targetDay: string | null;
  /** Whether the whole booking was cancelled, not only a part of it. */
  isWhole: boolean;
  note: string | null;
}

/** Texts with `{what}`, `{number}`, `{day}` and `{amount}`. */
interface Texts {
  trip: string;
  booking: string;
  subject: string;
  calledOff: string;
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
    calledOff: 'unfortunately we had to call off the departure of {what} on {day}.',
    moved: 'Your booking is moved to the departure on {day}.',
    movedAtSamePrice: 'Your booking is moved to the departure on {day}, at the same price.',
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
    calledOff: 'leider mussten wir die Abfahrt {what} am {day} absagen.',
    moved: 'Ihre Buchung gilt nun für die Abfahrt am {day}.',
    movedAtSamePrice: 'Ihre Buchung gilt nun für die Abfahrt am {day}, zum selben Preis.',
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
    calledOff: 'Nous avons malheureusement dû annuler le départ {what} du {day}.',
    moved: 'Votre réservation est reportée au départ du {day}.',
    movedAtSamePrice: 'Votre réservation est reportée au départ du {day}, au même prix.',
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
    calledOff: 'Lamentablemente hemos tenido que cancelar la salida {what} del {day}.',
    moved: 'Su reserva pasa a la salida del {day}.',
    movedAtSamePrice: 'Su reserva pasa a la salida del {day}, al mismo precio.',
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
    subject: 'La partenza {what} del {day} è annullata',
    calledOff: 'purtroppo abbiamo dovuto annullare la partenza {what} del {day}.',
    moved: 'La Sua prenotazione è spostata alla partenza del {day}.',
    movedAtSamePrice: 'La Sua prenotazione è spostata alla partenza del {day}, allo stesso prezzo.',
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
    calledOff: 'Din păcate a trebuit să anulăm plecarea {what} din {day}.',
    moved: 'Rezervarea dumneavoastră este mutată la plecarea din {day}.',
    movedAtSamePrice: 'Rezervarea dumneavoastră este mutată la plecarea din {day}, la același preț.',
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
  const values = { what, day: dayInWords(facts.day, language) };
  return {
    subject: filled(texts.subject, values),
    paragraphs: [filled(texts.calledOff, values), ...outcome(item, facts, language), ...(note ? [note] : [])],
  };
}

function outcome(
  { action, reprice, currency, refundedCents, creditedCents, openCents }: Called,
  { targetDay, isWhole }: Pick<CallOffFacts, 'targetDay' | 'isWhole'>,
  language: DocumentLanguage,
): string[] {
  const texts = TEXTS[language];
  const withAmount = (text: string, cents: number) =>
    filled(text, { amount: localMoney({ cents, currency }, language) });
  switch (action) {
    case 'move': {
      const day = targetDay === null ? '' : dayInWords(targetDay, language);
      return [filled(reprice ? texts.moved : texts.movedAtSamePrice, { day })];
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
