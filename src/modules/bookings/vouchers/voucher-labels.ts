import type { DocumentLanguage } from '../../organization/index.js';

/** The labels of a printed voucher. */
export interface VoucherLabels {
  /** Separates a label from its value. French has a no-break space before it. */
  colon: string;
  voucher: string;
  vouchers: string;
  booking: string;
  service: string;
  start: string;
  end: string;
  date: string;
  meetingPoint: string;
  people: string;
  /** A person without a name on the voucher, and several of them. */
  guest: string;
  guests: string;
  emergency: string;
  show: string;
}

export const VOUCHER_LABELS: Record<DocumentLanguage, VoucherLabels> = {
  en: {
    colon: ':',
    voucher: 'Voucher',
    vouchers: 'Vouchers',
    booking: 'Booking',
    service: 'Service',
    start: 'Start',
    end: 'End',
    date: 'Date',
    meetingPoint: 'Meeting point',
    people: 'For',
    guest: 'guest',
    guests: 'guests',
    emergency: 'In an emergency',
    show: 'Please show this voucher at the start, on paper or on a screen.',
  },
  de: {
    colon: ':',
    voucher: 'Voucher',
    vouchers: 'Voucher',
    booking: 'Buchung',
    service: 'Leistung',
    start: 'Beginn',
    end: 'Ende',
    date: 'Datum',
    meetingPoint: 'Treffpunkt',
    people: 'Für',
    guest: 'Gast',
    guests: 'Gäste',
    emergency: 'Im Notfall',
    show: 'Bitte zeigen Sie diesen Voucher zu Beginn vor, auf Papier oder auf einem Bildschirm.',
  },
  fr: {
    colon: '\u00a0:',
    voucher: 'Bon d’échange',
    vouchers: 'Bons d’échange',
    booking: 'Réservation',
    service: 'Prestation',
    start: 'Début',
    end: 'Fin',
    date: 'Date',
    meetingPoint: 'Point de rendez-vous',
    people: 'Pour',
    guest: 'personne',
    guests: 'personnes',
    emergency: 'En cas d’urgence',
    show: 'Veuillez présenter ce bon au début de la prestation, sur papier ou sur un écran.',
  },
  es: {
    colon: ':',
    voucher: 'Bono',
    vouchers: 'Bonos',
    booking: 'Reserva',
    service: 'Servicio',
    start: 'Inicio',
    end: 'Fin',
    date: 'Fecha',
    meetingPoint: 'Punto de encuentro',
    people: 'Para',
    guest: 'persona',
    guests: 'personas',
    emergency: 'En caso de emergencia',
    show: 'Muestre este bono al inicio, en papel o en una pantalla.',
  },
  it: {
    colon: ':',
    voucher: 'Voucher',
    vouchers: 'Voucher',
    booking: 'Prenotazione',
    service: 'Servizio',
    start: 'Inizio',
    end: 'Fine',
    date: 'Data',
    meetingPoint: 'Punto d’incontro',
    people: 'Per',
    guest: 'persona',
    guests: 'persone',
    emergency: 'In caso di emergenza',
    show: 'Mostri questo voucher all’inizio, su carta o su uno schermo.',
  },
  ro: {
    colon: ':',
    voucher: 'Voucher',
    vouchers: 'Vouchere',
    booking: 'Rezervare',
    service: 'Serviciu',
    start: 'Început',
    end: 'Sfârșit',
    date: 'Data',
    meetingPoint: 'Punct de întâlnire',
    people: 'Pentru',
    guest: 'persoană',
    guests: 'persoane',
    emergency: 'În caz de urgență',
    show: 'Vă rugăm să prezentați acest voucher la început, pe hârtie sau pe un ecran.',
  },
};
