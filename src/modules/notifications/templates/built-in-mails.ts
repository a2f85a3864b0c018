import { localMoney } from '../../../platform/money/local-money.js';
import { filled } from './filled-text.js';
import { dayInWords } from '../../../platform/time/day-in-words.js';
import type { DocumentLanguage } from '../../organization/index.js';
import { greetingOf } from './greetings.js';
import type { DueTarget } from '../targets/reminder-source.js';
import { LIVE_TRIGGERS, type LiveTrigger } from '../targets/reminder-trigger.js';
import { accountFor, type CompanyFacts } from './template-placeholders.js';

/** Subject and sentence of each trigger, with `{number}`, `{amount}`, `{day}` and `{former}`. */
type Texts = Record<LiveTrigger, readonly [subject: string, sentence: string]> & {
  /** Replaces an amount that is not known. */
  openAmount: string;
  /** For a move to a day that is not known. */
  changed: string;
  /** With `{account}`. */
  payTo: string;
};

const TEXTS: Readonly<Record<DocumentLanguage, Texts>> = {
  en: {
    deposit_due: ['Deposit for booking {number}, due on {day}', '{amount} for your booking {number} is due on {day}.'],
    balance_due: ['Balance for booking {number}, due on {day}', '{amount} for your booking {number} is due on {day}.'],
    installment_due: [
      'Payment for booking {number}, due on {day}',
      '{amount} for your booking {number} is due on {day}.',
    ],
    invoice_due: ['Invoice for booking {number}, due on {day}', '{amount} for your booking {number} is due on {day}.'],
    departure_upcoming: ['Your trip {number} departs on {day}', 'your trip {number} departs on {day}.'],
    departure_changed: [
      'The departure of your trip {number} has changed',
      'your trip {number} departs on {day} instead of {former}.',
    ],
    booking_confirmed: ['Your booking {number} is confirmed', 'your booking {number} is confirmed.'],
    payment_complete: ['Your booking {number} is paid', 'your booking {number} is paid in full. Thank you.'],
    openAmount: 'The open amount',
    changed: 'the departure of your trip {number} has changed.',
    payTo: 'Please pay to {account}, with the booking number {number} as the reference.',
  },
  de: {
    deposit_due: [
      'Anzahlung für Buchung {number}, fällig am {day}',
      'am {day} wird für Ihre Buchung {number} folgender Betrag fällig: {amount}.',
    ],
    balance_due: [
      'Restzahlung für Buchung {number}, fällig am {day}',
      'am {day} wird für Ihre Buchung {number} folgender Betrag fällig: {amount}.',
    ],
    installment_due: [
      'Zahlung für Buchung {number}, fällig am {day}',
      'am {day} wird für Ihre Buchung {number} folgender Betrag fällig: {amount}.',
    ],
    invoice_due: [
      'Rechnung für Buchung {number}, fällig am {day}',
      'am {day} wird für Ihre Buchung {number} folgender Betrag fällig: {amount}.',
    ],
    departure_upcoming: ['Ihre Reise {number} beginnt am {day}', 'Ihre Reise {number} beginnt am {day}.'],
    departure_changed: [
      'Der Abreisetermin Ihrer Reise {number} hat sich geändert',
      'Ihre Reise {number} beginnt am {day} statt am {former}.',
    ],
    booking_confirmed: ['Ihre Buchung {number} ist bestätigt', 'Ihre Buchung {number} ist bestätigt.'],
    payment_complete: [
      'Ihre Buchung {number} ist bezahlt',
      'Ihre Buchung {number} ist vollständig bezahlt. Vielen Dank.',
    ],
    openAmount: 'der offene Betrag',
    changed: 'der Abreisetermin Ihrer Reise {number} hat sich geändert.',
    payTo:
      'Bitte überweisen Sie auf das Konto {account} und geben Sie als Verwendungszweck die Buchungsnummer {number} an.',
  },
  fr: {
    deposit_due: [
      'Acompte pour la réservation {number}, à régler le {day}',
      'Pour votre réservation {number}, à régler le {day} : {amount}.',
    ],
    balance_due: [
      'Solde de la réservation {number}, à régler le {day}',
      'Pour votre réservation {number}, à régler le {day} : {amount}.',
    ],
    installment_due: [
      'Paiement pour la réservation {number}, à régler le {day}',
      'Pour votre réservation {number}, à régler le {day} : {amount}.',
    ],
    invoice_due: [
      'Facture de la réservation {number}, à régler le {day}',
      'Pour votre réservation {number}, à régler le {day} : {amount}.',
    ],
    departure_upcoming: ['Votre voyage {number} commence le {day}', 'Votre voyage {number} commence le {day}.'],
    departure_changed: [
      'La date de départ de votre voyage {number} a changé',
      'Votre voyage {number} commence le {day} et non le {former}.',
    ],
    booking_confirmed: ['Votre réservation {number} est confirmée', 'Votre réservation {number} est confirmée.'],
    payment_complete: [
      'Votre réservation {number} est réglée',
      'Votre réservation {number} est entièrement réglée. Merci.',
    ],
    openAmount: 'le montant restant dû',
    changed: 'La date de départ de votre voyage {number} a changé.',
    payTo: 'Merci d’effectuer le paiement sur le compte {account}, en indiquant le numéro de réservation {number}.',
  },
  es: {
    deposit_due: [
      'Anticipo de la reserva {number} (vence el {day})',
      'El {day} vence el siguiente importe de su reserva {number}: {amount}.',
    ],
    balance_due: [
      'Saldo de la reserva {number} (vence el {day})',
      'El {day} vence el siguiente importe de su reserva {number}: {amount}.',
    ],
    installment_due: [
      'Pago de la reserva {number} (vence el {day})',
      'El {day} vence el siguiente importe de su reserva {number}: {amount}.',
    ],
    invoice_due: [
      'Factura de la reserva {number} (vence el {day})',
      'El {day} vence el siguiente importe de su reserva {number}: {amount}.',
    ],
    departure_upcoming: ['Su viaje {number} comienza el {day}', 'Su viaje {number} comienza el {day}.'],
    departure_changed: [
      'La salida de su viaje {number} ha cambiado',
      'Su viaje {number} comienza el {day} y no el {former}.',
    ],
    booking_confirmed: ['Su reserva {number} está confirmada', 'Su reserva {number} está confirmada.'],
    payment_complete: [
      'Su reserva {number} está pagada',
      'Su reserva {number} está pagada por completo. Muchas gracias.',
    ],
    openAmount: 'el importe pendiente',
    changed: 'La salida de su viaje {number} ha cambiado.',
    payTo:
      'Le rogamos que transfiera el importe a la cuenta {account}, indicando el número de reserva {number} como concepto.',
  },
  it: {
    deposit_due: [
      'Acconto per la prenotazione {number}, scadenza {day}',
      'per la Sua prenotazione {number} il seguente importo scade in data {day}: {amount}.',
    ],
    balance_due: [
      'Saldo della prenotazione {number}, scadenza {day}',
      'per la Sua prenotazione {number} il seguente importo scade in data {day}: {amount}.',
    ],
    installment_due: [
      'Pagamento per la prenotazione {number}, scadenza {day}',
      'per la Sua prenotazione {number} il seguente importo scade in data {day}: {amount}.',
    ],
    invoice_due: [
      'Fattura della prenotazione {number}, scadenza {day}',
      'per la Sua prenotazione {number} il seguente importo scade in data {day}: {amount}.',
    ],
    departure_upcoming: [
      'Il Suo viaggio {number} inizia in data {day}',
      'il Suo viaggio {number} inizia in data {day}.',
    ],
    departure_changed: [
      'La partenza del Suo viaggio {number} è cambiata',
      'il Suo viaggio {number} inizia in data {day} e non in data {former}.',
    ],
    booking_confirmed: ['La Sua prenotazione {number} è confermata', 'la Sua prenotazione {number} è confermata.'],
    payment_complete: [
      'La Sua prenotazione {number} è pagata',
      'la Sua prenotazione {number} è interamente pagata. Grazie.',
    ],
    openAmount: 'l’importo residuo',
    changed: 'la partenza del Suo viaggio {number} è cambiata.',
    payTo: 'La preghiamo di versare l’importo sul conto {account}, indicando il numero di prenotazione {number}.',
  },
  ro: {
    deposit_due: [
      'Avans pentru rezervarea {number}, scadent la {day}',
      'Pentru rezervarea dumneavoastră {number} este scadent la {day}: {amount}.',
    ],
    balance_due: [
      'Rest de plată pentru rezervarea {number}, scadent la {day}',
      'Pentru rezervarea dumneavoastră {number} este scadent la {day}: {amount}.',
    ],
    installment_due: [
      'Plată pentru rezervarea {number}, scadentă la {day}',
      'Pentru rezervarea dumneavoastră {number} este scadent la {day}: {amount}.',
    ],
    invoice_due: [
      'Factura rezervării {number}, scadentă la {day}',
      'Pentru rezervarea dumneavoastră {number} este scadent la {day}: {amount}.',
    ],
    departure_upcoming: [
      'Călătoria dumneavoastră {number} începe la {day}',
      'Călătoria dumneavoastră {number} începe la {day}.',
    ],
    departure_changed: [
      'Data plecării pentru călătoria dumneavoastră {number} s-a schimbat',
      'Călătoria dumneavoastră {number} începe la {day}, nu la {former}.',
    ],
    booking_confirmed: [
      'Rezervarea dumneavoastră {number} este confirmată',
      'Rezervarea dumneavoastră {number} este confirmată.',
    ],
    payment_complete: [
      'Rezervarea dumneavoastră {number} este plătită',
      'Rezervarea dumneavoastră {number} este plătită integral. Vă mulțumim.',
    ],
    openAmount: 'suma rămasă',
    changed: 'Data plecării pentru călătoria dumneavoastră {number} s-a schimbat.',
    payTo: 'Vă rugăm să plătiți în contul {account}, cu numărul rezervării {number} la detaliile plății.',
  },
};

/** Returns subject and text of a reminder. One about a payment names the bank account in its currency, if the company has one. */
export function reminderMail(
  trigger: LiveTrigger,
  { target, company }: { target: DueTarget; company: CompanyFacts },
  language: DocumentLanguage,
): { subject: string; text: string } {
  const { ask, anchorDate, moved, bookingNumber: number, customerName } = target;
  const texts = TEXTS[language];
  const [subject, known] = texts[trigger];
  const sentence = trigger === 'departure_changed' && !moved ? texts.changed : known;
  const account = ask && accountFor(company, ask.currency);
  const values = {
    ...{ number, amount: ask ? localMoney(ask, language) : texts.openAmount },
    ...{ day: dayInWords(moved?.to ?? anchorDate, language), former: moved ? dayInWords(moved.from, language) : '' },
    account: account ? [account.holder, account.iban, account.bic].filter(Boolean).join(', ') : '',
  };
  const paragraphs = [sentence, ...(account ? [texts.payTo] : [])].map((text) => filled(text, values));
  return {
    subject: filled(subject, values),
    text: [greetingOf(customerName, language), ...paragraphs, company.name].join('\n\n'),
  };
}

/** Returns whether this is the built-in template of the trigger, which has the trigger's name (`balance-due`). */
export function isBuiltIn(slug: string, trigger: LiveTrigger | null): boolean {
  return trigger !== null && slugOf(trigger) === slug;
}

export function slugOf(trigger: LiveTrigger): string {
  return trigger.replaceAll('_', '-');
}

/** The trigger whose built-in template has this name; null if there is none. */
export function builtInOf(slug: string): LiveTrigger | null {
  return LIVE_TRIGGERS.find((live) => slugOf(live) === slug) ?? null;
}
