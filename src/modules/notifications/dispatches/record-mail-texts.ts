import type { DocumentLanguage } from '../../organization/index.js';

interface MailText {
  subject: string;
  sentence: string;
}

/** Customers get confirmations and itineraries; both are offers before the booking. */
type MailedDocument = 'confirmation' | 'itinerary' | 'offer';

/** The built-in subject and sentence of mails with a document. */
export const RECORD_MAIL_TEXTS: Readonly<Record<DocumentLanguage, Readonly<Record<MailedDocument, MailText>>>> = {
  en: {
    confirmation: {
      subject: 'Your booking confirmation',
      sentence: 'please find attached your booking confirmation.',
    },
    itinerary: { subject: 'Your itinerary', sentence: 'please find attached your itinerary.' },
    offer: { subject: 'Your offer', sentence: 'please find attached your offer.' },
  },
  de: {
    confirmation: {
      subject: 'Ihre Buchungsbestätigung',
      sentence: 'im Anhang finden Sie Ihre Buchungsbestätigung.',
    },
    itinerary: { subject: 'Ihr Reiseverlauf', sentence: 'im Anhang finden Sie Ihren Reiseverlauf.' },
    offer: { subject: 'Ihr Angebot', sentence: 'im Anhang finden Sie Ihr Angebot.' },
  },
  fr: {
    confirmation: {
      subject: 'Votre confirmation de réservation',
      sentence: 'Veuillez trouver ci-joint votre confirmation de réservation.',
    },
    itinerary: { subject: 'Votre itinéraire', sentence: 'Veuillez trouver ci-joint votre itinéraire.' },
    offer: { subject: 'Votre offre', sentence: 'Veuillez trouver ci-joint votre offre.' },
  },
  es: {
    confirmation: {
      subject: 'Su confirmación de reserva',
      sentence: 'Adjuntamos su confirmación de reserva.',
    },
    itinerary: { subject: 'Su itinerario', sentence: 'Adjuntamos su itinerario.' },
    offer: { subject: 'Su oferta', sentence: 'Adjuntamos su oferta.' },
  },
  it: {
    confirmation: {
      subject: 'La Sua conferma di prenotazione',
      sentence: 'in allegato trova la Sua conferma di prenotazione.',
    },
    itinerary: { subject: 'Il Suo itinerario', sentence: 'in allegato trova il Suo itinerario.' },
    offer: { subject: 'La Sua offerta', sentence: 'in allegato trova la Sua offerta.' },
  },
  ro: {
    confirmation: {
      subject: 'Confirmarea rezervării dumneavoastră',
      sentence: 'Găsiți atașată confirmarea rezervării dumneavoastră.',
    },
    itinerary: { subject: 'Itinerarul dumneavoastră', sentence: 'Găsiți atașat itinerarul dumneavoastră.' },
    offer: { subject: 'Oferta dumneavoastră', sentence: 'Găsiți atașată oferta dumneavoastră.' },
  },
};
