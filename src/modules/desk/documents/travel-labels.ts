import type { DocumentLanguage } from '../../organization/index.js';

/** The words of confirmations and itineraries. */
export interface TravelLabels {
  /** Separates a label from its value. French has a no-break space before it. */
  colon: string;
  confirmation: string;
  itinerary: string;
  /** Title of a document about a record that is not booked yet. */
  offer: string;
  booking: string;
  date: string;
  customer: string;
  travelers: string;
  from: string;
  to: string;
  services: string;
  service: string;
  quantity: string;
  price: string;
  total: string;
  taxIncluded: string;
  start: string;
  end: string;
  meetingPoint: string;
  pickup: string;
  emergency: string;
}

export const TRAVEL_LABELS: Readonly<Record<DocumentLanguage, TravelLabels>> = {
  en: {
    colon: ':',
    confirmation: 'Booking confirmation',
    itinerary: 'Itinerary',
    offer: 'Offer',
    booking: 'Booking',
    date: 'Date',
    customer: 'Customer',
    travelers: 'Travelers',
    from: 'From',
    to: 'To',
    services: 'Services',
    service: 'Service',
    quantity: 'Quantity',
    price: 'Price',
    total: 'Total',
    taxIncluded: 'Tax included',
    start: 'Start',
    end: 'End',
    meetingPoint: 'Meeting point',
    pickup: 'Pickup',
    emergency: 'In an emergency',
  },
  de: {
    colon: ':',
    confirmation: 'Buchungsbestätigung',
    itinerary: 'Reiseverlauf',
    offer: 'Angebot',
    booking: 'Buchung',
    date: 'Datum',
    customer: 'Kunde',
    travelers: 'Reisende',
    from: 'Von',
    to: 'Bis',
    services: 'Leistungen',
    service: 'Leistung',
    quantity: 'Anzahl',
    price: 'Preis',
    total: 'Gesamtpreis',
    taxIncluded: 'Enthaltene Steuer',
    start: 'Beginn',
    end: 'Ende',
    meetingPoint: 'Treffpunkt',
    pickup: 'Abholung',
    emergency: 'Im Notfall',
  },
  fr: {
    colon: '\u00a0:',
    confirmation: 'Confirmation de réservation',
    itinerary: 'Itinéraire',
    offer: 'Offre',
    booking: 'Réservation',
    date: 'Date',
    customer: 'Client',
    travelers: 'Voyageurs',
    from: 'Du',
    to: 'Au',
    services: 'Prestations',
    service: 'Prestation',
    quantity: 'Quantité',
    price: 'Prix',
    total: 'Total',
    taxIncluded: 'Taxes incluses',
    start: 'Début',
    end: 'Fin',
    meetingPoint: 'Point de rendez-vous',
    pickup: 'Prise en charge',
    emergency: 'En cas d’urgence',
  },
  es: {
    colon: ':',
    confirmation: 'Confirmación de reserva',
    itinerary: 'Itinerario',
    offer: 'Oferta',
    booking: 'Reserva',
    date: 'Fecha',
    customer: 'Cliente',
    travelers: 'Viajeros',
    from: 'Desde',
    to: 'Hasta',
    services: 'Servicios',
    service: 'Servicio',
    quantity: 'Cantidad',
    price: 'Precio',
    total: 'Total',
    taxIncluded: 'Impuestos incluidos',
    start: 'Inicio',
    end: 'Fin',
    meetingPoint: 'Punto de encuentro',
    pickup: 'Recogida',
    emergency: 'En caso de emergencia',
  },
  it: {
    colon: ':',
    confirmation: 'Conferma di prenotazione',
    itinerary: 'Itinerario',
    offer: 'Offerta',
    booking: 'Prenotazione',
    date: 'Data',
    customer: 'Cliente',
    travelers: 'Viaggiatori',
    from: 'Dal',
    to: 'Al',
    services: 'Servizi',
    service: 'Servizio',
    quantity: 'Quantità',
    price: 'Prezzo',
    total: 'Totale',
    taxIncluded: 'Imposte incluse',
    start: 'Inizio',
    end: 'Fine',
    meetingPoint: 'Punto d’incontro',
    pickup: 'Prelievo',
    emergency: 'In caso di emergenza',
  },
  ro: {
    colon: ':',
    confirmation: 'Confirmarea rezervării',
    itinerary: 'Itinerar',
    offer: 'Ofertă',
    booking: 'Rezervare',
    date: 'Data',
    customer: 'Client',
    travelers: 'Călători',
    from: 'De la',
    to: 'Până la',
    services: 'Servicii',
    service: 'Serviciu',
    quantity: 'Cantitate',
    price: 'Preț',
    total: 'Total',
    taxIncluded: 'Taxe incluse',
    start: 'Început',
    end: 'Sfârșit',
    meetingPoint: 'Punct de întâlnire',
    pickup: 'Preluare',
    emergency: 'În caz de urgență',
  },
};
