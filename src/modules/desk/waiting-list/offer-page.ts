import { escaped, type HtmlPage, languageAmong } from '../../../platform/http/html-page.js';
import { localMoney } from '../../../platform/money/local-money.js';
import { DOCUMENT_LANGUAGES, type DocumentLanguage } from '../../organization/index.js';
import { filled } from '../../notifications/index.js';

export interface OfferPrice {
  cents: number;
  currency: string;
}

/** What a customer reads about an offer. */
export interface ShownOffer {
  /** Name of the product; null if it has no record. */
  product: string | null;
  startsAt: Date;
  expiresAt: Date;
  timeZone: string;
  seats: number;
  /** Null if no price applies; staff then name it. */
  price: OfferPrice | null;
}

/** `priceChanged`: the price of the page is no longer valid; `refused`: staff have to book the units. */
export type OfferState =
  | { kind: 'question' | 'priceChanged' | 'refused'; offer: ShownOffer }
  | { kind: 'accepted'; bookingNumber: string }
  | { kind: 'declined' | 'ended' | 'notFound' };

interface Texts {
  title: string;
  /** With `{places}`, `{product}` and `{start}`. */
  text: string;
  departure: string;
  place: string;
  /** With `{count}`. */
  places: string;
  /** With `{end}`. */
  until: string;
  /** With `{price}`. */
  price: string;
  accept: string;
  decline: string;
  priceChanged: string;
  refused: string;
  accepted: string;
  /** With `{number}`. */
  acceptedText: string;
  declined: string;
  declinedText: string;
  ended: string;
  endedText: string;
  notFound: string;
  notFoundText: string;
}

const TEXTS: Record<DocumentLanguage, Texts> = {
  en: {
    title: 'There is room for you',
    text: '{places} on {product} on {start}.',
    departure: 'the departure',
    place: '1 place',
    places: '{count} places',
    until: 'We hold this offer for you until {end}.',
    price: 'Price in total: {price}',
    accept: 'Book',
    decline: 'No, thank you',
    priceChanged: 'The price has changed since you opened this page. Please check it and book again.',
    refused: 'We could not book this automatically. We have been informed, and will contact you.',
    accepted: 'Thank you, your places are reserved',
    acceptedText: 'The number of your booking is {number}. We will confirm it by mail.',
    declined: 'Thank you for telling us',
    declinedText: 'You are no longer on the waiting list.',
    ended: 'This offer has ended',
    endedText: 'Please contact us if you are still interested.',
    notFound: 'This page does not exist',
    notFoundText: 'The link is incomplete or no longer valid. Please open the link in the mail again, or contact us.',
  },
  de: {
    title: 'Es ist Platz für Sie frei',
    text: '{places}: {product}, {start}.',
    departure: 'die Abfahrt',
    place: '1 Platz',
    places: '{count} Plätze',
    until: 'Wir halten dieses Angebot bis {end} für Sie frei.',
    price: 'Gesamtpreis: {price}',
    accept: 'Buchen',
    decline: 'Nein, danke',
    priceChanged:
      'Der Preis hat sich geändert, seit Sie diese Seite geöffnet haben. Bitte prüfen Sie ihn und buchen Sie erneut.',
    refused: 'Wir konnten nicht automatisch buchen. Wir sind informiert und melden uns bei Ihnen.',
    accepted: 'Vielen Dank, Ihre Plätze sind reserviert',
    acceptedText: 'Ihre Buchungsnummer ist {number}. Wir bestätigen die Buchung per E-Mail.',
    declined: 'Vielen Dank für Ihre Nachricht',
    declinedText: 'Sie stehen nicht mehr auf der Warteliste.',
    ended: 'Dieses Angebot ist beendet',
    endedText: 'Wenn Sie noch interessiert sind, wenden Sie sich bitte an uns.',
    notFound: 'Diese Seite gibt es nicht',
    notFoundText:
      'Der Link ist unvollständig oder nicht mehr gültig. Bitte öffnen Sie den Link in der E-Mail noch einmal, oder wenden Sie sich an uns.',
  },
  fr: {
    title: 'Une place s’est libérée pour vous',
    text: '{places} : {product}, {start}.',
    departure: 'le départ',
    place: '1 place',
    places: '{count} places',
    until: 'Nous vous réservons cette offre jusqu’au {end}.',
    price: 'Prix total : {price}',
    accept: 'Réserver',
    decline: 'Non merci',
    priceChanged:
      'Le prix a changé depuis que vous avez ouvert cette page. Veuillez le vérifier et réserver à nouveau.',
    refused: 'Nous n’avons pas pu réserver automatiquement. Nous en sommes informés et vous contacterons.',
    accepted: 'Merci, vos places sont réservées',
    acceptedText: 'Votre numéro de réservation est {number}. Nous vous la confirmerons par e-mail.',
    declined: 'Merci de nous avoir répondu',
    declinedText: 'Vous n’êtes plus sur la liste d’attente.',
    ended: 'Cette offre a pris fin',
    endedText: 'Si vous êtes toujours intéressé, veuillez nous contacter.',
    notFound: 'Cette page n’existe pas',
    notFoundText: 'Le lien est incomplet ou n’est plus valable. Rouvrez le lien de l’e-mail ou contactez-nous.',
  },
  es: {
    title: 'Hay sitio para usted',
    text: '{places}: {product}, {start}.',
    departure: 'la salida',
    place: '1 plaza',
    places: '{count} plazas',
    until: 'Le reservamos esta oferta hasta el {end}.',
    price: 'Precio total: {price}',
    accept: 'Reservar',
    decline: 'No, gracias',
    priceChanged: 'El precio ha cambiado desde que abrió esta página. Compruébelo y reserve de nuevo.',
    refused: 'No hemos podido reservar automáticamente. Ya estamos informados y nos pondremos en contacto con usted.',
    accepted: 'Gracias, sus plazas están reservadas',
    acceptedText: 'Su número de reserva es {number}. Se la confirmaremos por correo.',
    declined: 'Gracias por avisarnos',
    declinedText: 'Ya no está en la lista de espera.',
    ended: 'Esta oferta ha terminado',
    endedText: 'Si todavía le interesa, póngase en contacto con nosotros.',
    notFound: 'Esta página no existe',
    notFoundText:
      'El enlace está incompleto o ya no es válido. Abra de nuevo el enlace del correo o póngase en contacto con nosotros.',
  },
  it: {
    title: 'C’è posto per Lei',
    text: '{places}: {product}, {start}.',
    departure: 'la partenza',
    place: '1 posto',
    places: '{count} posti',
    until: 'Le riserviamo questa offerta fino al {end}.',
    price: 'Prezzo totale: {price}',
    accept: 'Prenotare',
    decline: 'No, grazie',
    priceChanged: 'Il prezzo è cambiato da quando ha aperto questa pagina. Lo verifichi e prenoti di nuovo.',
    refused: 'Non è stato possibile prenotare automaticamente. Siamo stati informati e La contatteremo.',
    accepted: 'Grazie, i Suoi posti sono riservati',
    acceptedText: 'Il numero della Sua prenotazione è {number}. La confermeremo per e-mail.',
    declined: 'Grazie per averci risposto',
    declinedText: 'Non è più in lista d’attesa.',
    ended: 'Questa offerta è terminata',
    endedText: 'Se è ancora interessato, ci contatti.',
    notFound: 'Questa pagina non esiste',
    notFoundText: 'Il link è incompleto o non è più valido. Apra di nuovo il link nella mail o ci contatti.',
  },
  ro: {
    title: 'S-a eliberat un loc pentru dumneavoastră',
    text: '{places}: {product}, {start}.',
    departure: 'plecarea',
    place: '1 loc',
    places: '{count} locuri',
    until: 'Vă păstrăm această ofertă până la {end}.',
    price: 'Preț total: {price}',
    accept: 'Rezervați',
    decline: 'Nu, mulțumesc',
    priceChanged: 'Prețul s-a schimbat de când ați deschis această pagină. Verificați-l și rezervați din nou.',
    refused: 'Nu am putut rezerva automat. Am fost informați și vă vom contacta.',
    accepted: 'Vă mulțumim, locurile dumneavoastră sunt rezervate',
    acceptedText: 'Numărul rezervării este {number}. O vom confirma prin e-mail.',
    declined: 'Vă mulțumim pentru răspuns',
    declinedText: 'Nu mai sunteți pe lista de așteptare.',
    ended: 'Această ofertă s-a încheiat',
    endedText: 'Dacă mai sunteți interesat, vă rugăm să ne contactați.',
    notFound: 'Această pagină nu există',
    notFoundText:
      'Linkul este incomplet sau nu mai este valabil. Deschideți din nou linkul din e-mail sau contactați-ne.',
  },
};

const STATUSES: Readonly<Record<OfferState['kind'], number>> = {
  question: 200,
  accepted: 200,
  declined: 200,
  priceChanged: 409,
  refused: 409,
  ended: 410,
  notFound: 404,
};

const STYLE = `
form { display: inline-block; margin: 1rem 1rem 0 0; }`;

/** Returns the page language that matches a language tag, otherwise English. */
export function pageLanguageOf(tag: string): DocumentLanguage {
  return languageAmong(DOCUMENT_LANGUAGES, tag);
}

/** Returns the page of an offer. Its forms are sent to its own address, so it contains no token. */
export function offerPage(
  state: OfferState,
  { language, company }: { language: DocumentLanguage; company: string },
): HtmlPage {
  const texts = TEXTS[language];
  const titles = { question: texts.title, priceChanged: texts.title, refused: texts.title };
  const title = { ...texts, ...titles }[state.kind];
  const content = `<h1>${title}</h1>\n${paragraphsOf(state, { texts, language })}`;
  return { status: STATUSES[state.kind], language, title, content, style: STYLE, lines: [company] };
}

function paragraphsOf(state: OfferState, { texts, language }: { texts: Texts; language: DocumentLanguage }): string {
  switch (state.kind) {
    case 'accepted':
      return paragraph(filled(texts.acceptedText, { number: state.bookingNumber }));
    case 'declined':
    case 'ended':
    case 'notFound':
      return paragraph(texts[`${state.kind}Text`]);
    case 'refused':
      return `<p class="notice">${texts.refused}</p>\n${facts(state.offer, { texts, language })}`;
    case 'question':
      return `${facts(state.offer, { texts, language })}\n${forms(state.offer, texts)}`;
    case 'priceChanged':
      return `<p class="notice">${texts.priceChanged}</p>\n${facts(state.offer, { texts, language })}\n${forms(state.offer, texts)}`;
  }
}

function facts(
  { product, startsAt, expiresAt, timeZone, seats, price }: ShownOffer,
  { texts, language }: { texts: Texts; language: DocumentLanguage },
): string {
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short', timeZone });
  const places = seats === 1 ? texts.place : filled(texts.places, { count: String(seats) });
  const what = { places, product: product ?? texts.departure, start: format.format(startsAt) };
  return [
    filled(texts.text, what),
    ...(price === null ? [] : [filled(texts.price, { price: localMoney(price, language) })]),
    filled(texts.until, { end: `${format.format(expiresAt)} (${timeZone})` }),
  ]
    .map(paragraph)
    .join('\n');
}

function forms({ price }: ShownOffer, { accept, decline }: Texts): string {
  const cents = price === null ? '' : `<input type="hidden" name="totalCents" value="${price.cents}">\n`;
  return `<form method="post">
<input type="hidden" name="accepted" value="yes">
${cents}<button>${accept}</button>
</form>
<form method="post">
<input type="hidden" name="declined" value="yes">
<button>${decline}</button>
</form>`;
}

function paragraph(text: string): string {
  return `<p>${escaped(text)}</p>`;
}
