import { localMoney } from '../../../platform/money/local-money.js';
import { filled } from './filled-text.js';
import { dayInWords, departureTimeInWords } from '../../../platform/time/day-in-words.js';
import type { DocumentLanguage } from '../../organization/index.js';
import { greetingOf } from './greetings.js';
import type { CancellationMoney, ChangedDeparture, DueTarget } from '../targets/reminder-source.js';
import { LIVE_TRIGGERS, type LiveTrigger } from '../targets/reminder-trigger.js';
import { accountFor, type CompanyFacts } from './template-placeholders.js';

type PaymentTrigger = Extract<LiveTrigger, `${string}_due`>;

/**
 * Texts with `{number}`, `{amount}`, `{day}` and `{former}`: a subject for each trigger of a payment, which have one sentence in common,
 * and subject and sentence of the others.
 */
type Texts = Record<PaymentTrigger, string> &
  Record<Exclude<LiveTrigger, PaymentTrigger>, readonly [subject: string, sentence: string]> & {
    due: string;
    /** Replaces an amount that is not known. */
    openAmount: string;
    /** For a move of departures, which follow, and for one to a day that is not known. */
    changed: string;
    /** Sentences about the fee for a cancellation and the rest, with `{amount}`. */
    cancellation: Record<'free' | 'fee' | 'openFee' | 'refund' | 'credit' | 'undecided', string>;
    /** Lines about a departure with `{value}`, and what follows if it was `{former}`. */
    start: string;
    meetingPoint: string;
    formerly: string;
    /** With `{account}`. */
    payTo: string;
  };

const TEXTS: Readonly<Record<DocumentLanguage, Texts>> = {
  en: {
    deposit_due: 'Deposit for booking {number}, due on {day}',
    balance_due: 'Balance for booking {number}, due on {day}',
    installment_due: 'Payment for booking {number}, due on {day}',
    invoice_due: 'Invoice for booking {number}, due on {day}',
    departure_upcoming: ['Your trip {number} departs on {day}', 'your trip {number} departs on {day}.'],
    departure_changed: [
      'The departure of your trip {number} has changed',
      'your trip {number} departs on {day} instead of {former}.',
    ],
    booking_confirmed: ['Your booking {number} is confirmed', 'your booking {number} is confirmed.'],
    booking_cancelled: ['Your booking {number} is cancelled', 'your booking {number} is cancelled.'],
    payment_complete: ['Your booking {number} is paid', 'your booking {number} is paid in full. Thank you.'],
    due: '{amount} for your booking {number} is due on {day}.',
    openAmount: 'The open amount',
    changed: 'the departure of your trip {number} has changed.',
    cancellation: {
      free: 'You pay no cancellation fee.',
      fee: 'The cancellation fee is {amount}.',
      openFee: 'Of this, {amount} is still to be paid.',
      refund: 'We will refund {amount}.',
      credit: 'You have a credit of {amount} for another booking.',
      undecided: 'We will contact you about the cancellation fee and your payments.',
    },
    start: 'Start: {value}',
    meetingPoint: 'Meeting point: {value}',
    formerly: '(previously {former})',
    payTo: 'Please pay to {account}, with the booking number {number} as the reference.',
  },
  de: {
    deposit_due: 'Anzahlung für Buchung {number}, fällig am {day}',
    balance_due: 'Restzahlung für Buchung {number}, fällig am {day}',
    installment_due: 'Zahlung für Buchung {number}, fällig am {day}',
    invoice_due: 'Rechnung für Buchung {number}, fällig am {day}',
    departure_upcoming: ['Ihre Reise {number} beginnt am {day}', 'Ihre Reise {number} beginnt am {day}.'],
    departure_changed: [
      'Die Abreise Ihrer Reise {number} hat sich geändert',
      'Ihre Reise {number} beginnt am {day} statt am {former}.',
    ],
    booking_confirmed: ['Ihre Buchung {number} ist bestätigt', 'Ihre Buchung {number} ist bestätigt.'],
    booking_cancelled: ['Ihre Buchung {number} ist storniert', 'Ihre Buchung {number} ist storniert.'],
    payment_complete: [
      'Ihre Buchung {number} ist bezahlt',
      'Ihre Buchung {number} ist vollständig bezahlt. Vielen Dank.',
    ],
    due: 'am {day} wird für Ihre Buchung {number} folgender Betrag fällig: {amount}.',
    openAmount: 'der offene Betrag',
    changed: 'die Abreise Ihrer Reise {number} hat sich geändert.',
    cancellation: {
      free: 'Es fällt keine Stornogebühr an.',
      fee: 'Die Stornogebühr beträgt {amount}.',
      openFee: 'Davon sind noch {amount} zu zahlen.',
      refund: 'Wir erstatten Ihnen {amount}.',
      credit: 'Sie haben ein Guthaben von {amount} für eine andere Buchung.',
      undecided: 'Wegen der Stornogebühr und Ihrer Zahlungen melden wir uns bei Ihnen.',
    },
    start: 'Beginn: {value}',
    meetingPoint: 'Treffpunkt: {value}',
    formerly: '(bisher {former})',
    payTo:
      'Bitte überweisen Sie auf das Konto {account} und geben Sie als Verwendungszweck die Buchungsnummer {number} an.',
  },
  fr: {
    deposit_due: 'Acompte pour la réservation {number}, à régler le {day}',
    balance_due: 'Solde de la réservation {number}, à régler le {day}',
    installment_due: 'Paiement pour la réservation {number}, à régler le {day}',
    invoice_due: 'Facture de la réservation {number}, à régler le {day}',
    departure_upcoming: ['Votre voyage {number} commence le {day}', 'Votre voyage {number} commence le {day}.'],
    departure_changed: [
      'Le départ de votre voyage {number} a changé',
      'Votre voyage {number} commence le {day} et non le {former}.',
    ],
    booking_confirmed: ['Votre réservation {number} est confirmée', 'Votre réservation {number} est confirmée.'],
    booking_cancelled: ['Votre réservation {number} est annulée', 'Votre réservation {number} est annulée.'],
    payment_complete: [
      'Votre réservation {number} est réglée',
      'Votre réservation {number} est entièrement réglée. Merci.',
    ],
    due: 'Pour votre réservation {number}, à régler le {day} : {amount}.',
    openAmount: 'le montant restant dû',
    changed: 'Le départ de votre voyage {number} a changé.',
    cancellation: {
      free: 'Aucun frais d’annulation n’est dû.',
      fee: 'Les frais d’annulation s’élèvent à {amount}.',
      openFee: 'Il vous reste à payer {amount} sur ce montant.',
      refund: 'Nous vous rembourserons {amount}.',
      credit: 'Vous disposez d’un avoir de {amount} pour une autre réservation.',
      undecided: 'Nous vous contacterons au sujet des frais d’annulation et de vos paiements.',
    },
    start: 'Début\u00a0: {value}',
    meetingPoint: 'Point de rendez-vous\u00a0: {value}',
    formerly: '(auparavant {former})',
    payTo: 'Merci d’effectuer le paiement sur le compte {account}, en indiquant le numéro de réservation {number}.',
  },
  es: {
    deposit_due: 'Anticipo de la reserva {number} (vence el {day})',
    balance_due: 'Saldo de la reserva {number} (vence el {day})',
    installment_due: 'Pago de la reserva {number} (vence el {day})',
    invoice_due: 'Factura de la reserva {number} (vence el {day})',
    departure_upcoming: ['Su viaje {number} comienza el {day}', 'Su viaje {number} comienza el {day}.'],
    departure_changed: [
      'La salida de su viaje {number} ha cambiado',
      'Su viaje {number} comienza el {day} y no el {former}.',
    ],
    booking_confirmed: ['Su reserva {number} está confirmada', 'Su reserva {number} está confirmada.'],
    booking_cancelled: ['Su reserva {number} está cancelada', 'Su reserva {number} está cancelada.'],
    payment_complete: [
      'Su reserva {number} está pagada',
      'Su reserva {number} está pagada por completo. Muchas gracias.',
    ],
    due: 'El {day} vence el siguiente importe de su reserva {number}: {amount}.',
    openAmount: 'el importe pendiente',
    changed: 'La salida de su viaje {number} ha cambiado.',
    cancellation: {
      free: 'No se aplican gastos de cancelación.',
      fee: 'Los gastos de cancelación son de {amount}.',
      openFee: 'De este importe quedan por pagar {amount}.',
      refund: 'Le devolveremos {amount}.',
      credit: 'Tiene un saldo de {amount} para otra reserva.',
      undecided: 'Nos pondremos en contacto con usted sobre los gastos de cancelación y sus pagos.',
    },
    start: 'Inicio: {value}',
    meetingPoint: 'Punto de encuentro: {value}',
    formerly: '(antes {former})',
    payTo:
      'Le rogamos que transfiera el importe a la cuenta {account}, indicando el número de reserva {number} como concepto.',
  },
  it: {
    deposit_due: 'Acconto per la prenotazione {number}, scadenza {day}',
    balance_due: 'Saldo della prenotazione {number}, scadenza {day}',
    installment_due: 'Pagamento per la prenotazione {number}, scadenza {day}',
    invoice_due: 'Fattura della prenotazione {number}, scadenza {day}',
    departure_upcoming: [
      'Il Suo viaggio {number} inizia in data {day}',
      'il Suo viaggio {number} inizia in data {day}.',
    ],
    departure_changed: [
      'La partenza del Suo viaggio {number} è cambiata',
      'il Suo viaggio {number} inizia in data {day} e non in data {former}.',
    ],
    booking_confirmed: ['La Sua prenotazione {number} è confermata', 'la Sua prenotazione {number} è confermata.'],
    booking_cancelled: ['La Sua prenotazione {number} è annullata', 'la Sua prenotazione {number} è annullata.'],
    payment_complete: [
      'La Sua prenotazione {number} è pagata',
      'la Sua prenotazione {number} è interamente pagata. Grazie.',
    ],
    due: 'per la Sua prenotazione {number} il seguente importo scade in data {day}: {amount}.',
    openAmount: 'l’importo residuo',
    changed: 'la partenza del Suo viaggio {number} è cambiata.',
    cancellation: {
      free: 'Non sono dovute spese di annullamento.',
      fee: 'Le spese di annullamento ammontano a {amount}.',
      openFee: 'Di questo importo restano da pagare {amount}.',
      refund: 'Le rimborseremo {amount}.',
      credit: 'Ha un credito di {amount} per un’altra prenotazione.',
      undecided: 'La contatteremo per le spese di annullamento e i Suoi pagamenti.',
    },
    start: 'Inizio: {value}',
    meetingPoint: 'Punto d’incontro: {value}',
    formerly: '(prima {former})',
    payTo: 'La preghiamo di versare l’importo sul conto {account}, indicando il numero di prenotazione {number}.',
  },
  ro: {
    deposit_due: 'Avans pentru rezervarea {number}, scadent la {day}',
    balance_due: 'Rest de plată pentru rezervarea {number}, scadent la {day}',
    installment_due: 'Plată pentru rezervarea {number}, scadentă la {day}',
    invoice_due: 'Factura rezervării {number}, scadentă la {day}',
    departure_upcoming: [
      'Călătoria dumneavoastră {number} începe la {day}',
      'Călătoria dumneavoastră {number} începe la {day}.',
    ],
    departure_changed: [
      'Plecarea pentru călătoria dumneavoastră {number} s-a schimbat',
      'Călătoria dumneavoastră {number} începe la {day}, nu la {former}.',
    ],
    booking_confirmed: [
      'Rezervarea dumneavoastră {number} este confirmată',
      'Rezervarea dumneavoastră {number} este confirmată.',
    ],
    booking_cancelled: [
      'Rezervarea dumneavoastră {number} este anulată',
      'Rezervarea dumneavoastră {number} este anulată.',
    ],
    payment_complete: [
      'Rezervarea dumneavoastră {number} este plătită',
      'Rezervarea dumneavoastră {number} este plătită integral. Vă mulțumim.',
    ],
    due: 'Pentru rezervarea dumneavoastră {number} este scadent la {day}: {amount}.',
    openAmount: 'suma rămasă',
    changed: 'Plecarea pentru călătoria dumneavoastră {number} s-a schimbat.',
    cancellation: {
      free: 'Nu datorați o taxă de anulare.',
      fee: 'Taxa de anulare este de {amount}.',
      openFee: 'Din această sumă mai aveți de plătit {amount}.',
      refund: 'Vă vom rambursa {amount}.',
      credit: 'Aveți un credit de {amount} pentru o altă rezervare.',
      undecided: 'Vă vom contacta în legătură cu taxa de anulare și plățile dumneavoastră.',
    },
    start: 'Început: {value}',
    meetingPoint: 'Punct de întâlnire: {value}',
    formerly: '(înainte {former})',
    payTo: 'Vă rugăm să plătiți în contul {account}, cu numărul rezervării {number} la detaliile plății.',
  },
};

/** Returns subject and text of a reminder. One about a payment names the bank account in its currency, if the company has one. */
export function reminderMail(
  trigger: LiveTrigger,
  { target, company }: { target: DueTarget; company: CompanyFacts },
  language: DocumentLanguage,
): { subject: string; text: string } {
  const { ask, anchorDate, moved, cancellation, bookingNumber: number, customerName } = target;
  const texts = TEXTS[language];
  const own = texts[trigger];
  const [subject, known] = typeof own === 'string' ? [own, texts.due] : own;
  const departures = moved?.departures ?? [];
  const sentence = trigger === 'departure_changed' && (!moved || departures.length > 0) ? texts.changed : known;
  const account = ask && accountFor(company, ask.currency);
  const values = {
    ...{ number, amount: ask ? localMoney(ask, language) : texts.openAmount },
    ...{ day: dayInWords(moved?.to ?? anchorDate, language), former: moved ? dayInWords(moved.from, language) : '' },
    account: account ? [account.holder, account.iban, account.bic].filter(Boolean).join(', ') : '',
  };
  const paragraphs = [sentence, ...(account ? [texts.payTo] : [])].map((text) => filled(text, values));
  return {
    subject: filled(subject, values),
    text: [
      greetingOf(customerName, language),
      ...paragraphs,
      ...(cancellation ? [moneyOf(cancellation, language)] : []),
      ...departures.map((departure) => changeOf(departure, language)),
      company.name,
    ].join('\n\n'),
  };
}

function moneyOf({ currency, ...money }: CancellationMoney, language: DocumentLanguage): string {
  const { feeCents, openFeeCents, restCents, outcome } = money;
  const texts = TEXTS[language].cancellation;
  if (feeCents === null) return texts.undecided;
  const withAmount = (text: string, cents: number | null) =>
    cents ? [filled(text, { amount: localMoney({ cents, currency }, language) })] : [];
  return [
    ...(feeCents === 0 ? [texts.free] : withAmount(texts.fee, feeCents)),
    ...withAmount(texts.openFee, openFeeCents),
    ...withAmount(texts[outcome], restCents),
  ].join(' ');
}

/** The title, the start and the meeting point of a departure; former values only if they were others. */
function changeOf({ title, timeZone, from, to }: ChangedDeparture, language: DocumentLanguage): string {
  const { start, meetingPoint, formerly } = TEXTS[language];
  const line = (label: string, value: string, former: string | null) => {
    const text = filled(label, { value });
    return former === null || former === value ? text : `${text} ${filled(formerly, { former })}`;
  };
  const [time, formerTime] = [to, from].map(({ startsAt }) => departureTimeInWords({ startsAt, timeZone }, language));
  const lines = [title, line(start, time ?? '', formerTime ?? null)];
  if (to.place !== null || from.place !== null) lines.push(line(meetingPoint, to.place ?? '–', from.place));
  return lines.join('\n');
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
