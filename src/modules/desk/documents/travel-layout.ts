import { localMoney } from '../../../platform/money/local-money.js';
import { dayInWords, timeInWords } from '../../../platform/time/day-in-words.js';
import type { Block, DocumentTexts, Values } from '../../documents/index.js';
import type { DocumentLanguage } from '../../organization/index.js';
import { TRAVEL_LABELS, type TravelLabels } from './travel-labels.js';
import type { Travel, TravelService } from './travels.repository.js';

export type TravelKind = 'confirmation' | 'itinerary';

/** Types of items that people see on an itinerary. */
const SERVICES = ['unit', 'extra', 'service', 'accommodation', 'transport', 'other'];

/** Returns the texts of a confirmation or an itinerary. `titles` are those of products, by their ids. */
export function travelTexts(
  travel: Travel,
  { kind, language, titles }: { kind: TravelKind; language: DocumentLanguage; titles: ReadonlyMap<string, string> },
): DocumentTexts {
  const { isOffer, number, title, customerName, customerAddress, startDate, endDate, currency, travelers } = travel;
  const labels = TRAVEL_LABELS[language];
  const money = (cents: number | null) => (cents === null ? null : localMoney({ cents, currency }, language));
  const listed =
    kind === 'confirmation' ? travel.services : travel.services.filter(({ type }) => SERVICES.includes(type));
  return {
    values: {
      'document.title': titleOf(kind, isOffer, labels),
      'booking.number': number,
      'booking.startDate': startDate && dayInWords(startDate, language),
      'booking.endDate': endDate && dayInWords(endDate, language),
      'booking.total': money(travel.totalCents),
      'booking.tax': travel.taxCents === 0 ? null : money(travel.taxCents),
      'trip.title': title,
      'customer.name': customerName,
      'customer.address': customerAddress,
      'travelers.names': travelers.join('\n'),
    },
    lists: {
      services: listed.map((service) => serviceValues(service, { language, titles, price: money(service.totalCents) })),
    },
  };
}

export function titleOf(kind: TravelKind, isOffer: boolean, labels: TravelLabels): string {
  if (!isOffer) return labels[kind];
  return kind === 'confirmation' ? labels.offer : `${labels.itinerary} (${labels.offer})`;
}

function serviceValues(
  service: TravelService,
  terms: { language: DocumentLanguage; titles: ReadonlyMap<string, string>; price: string | null },
): Values {
  const { productId, title, quantity, serviceDate, startsAt, endsAt, meetingPoint, meetingAddress } = service;
  const { language, titles, price } = terms;
  const product = titles.get(productId ?? '') ?? null;
  const timeZone = service.timeZone ?? 'UTC';
  return {
    'service.title': [product, product === title ? null : title].filter((part) => part !== null).join('\n'),
    'service.quantity': String(quantity),
    'service.price': price,
    'service.date': serviceDate && dayInWords(serviceDate, language),
    'service.start':
      startsAt === null
        ? serviceDate && dayInWords(serviceDate, language)
        : timeInWords(startsAt, { language, timeZone }),
    'service.end': endsAt && timeInWords(endsAt, { language, timeZone }),
    'service.meetingPoint': [meetingPoint, meetingAddress].filter((part) => part !== null).join('\n'),
    'service.pickup': [service.pickupTime, service.pickup, service.pickupNote]
      .filter((part) => part !== null)
      .join('\n'),
  };
}

/** The built-in layout of a kind. */
export function travelBlocks(kind: TravelKind, language: DocumentLanguage): Block[] {
  const labels = TRAVEL_LABELS[language];
  return [...headOf(labels), ...(kind === 'confirmation' ? confirmationOf(labels) : itineraryOf(labels)), ...foot()];
}

function headOf(labels: TravelLabels): Block[] {
  const fact = (label: string, value: string) => ({ label: `${label}${labels.colon}`, value });
  return [
    { type: 'image', image: 'logo' },
    {
      type: 'columns',
      parts: [
        { blocks: [{ type: 'text', text: '{{company.name}}\n{{company.address}}' }] },
        { blocks: [{ type: 'text', text: '{{company.phone}}\n{{company.email}}\n{{company.website}}' }] },
      ],
    },
    { type: 'heading', text: '{{document.title}} {{booking.number}}' },
    {
      type: 'facts',
      facts: [
        fact(labels.service, '{{trip.title}}'),
        fact(labels.date, '{{document.date}}'),
        fact(labels.customer, '{{customer.name}}\n{{customer.address}}'),
        fact(labels.from, '{{booking.startDate}}'),
        fact(labels.to, '{{booking.endDate}}'),
        fact(labels.travelers, '{{travelers.names}}'),
        fact(labels.emergency, '{{company.emergencyPhone}}'),
      ],
    },
    { type: 'heading', text: labels.services },
  ];
}

function confirmationOf(labels: TravelLabels): Block[] {
  return [
    {
      type: 'table',
      list: 'services',
      columns: [
        { heading: labels.date, text: '{{service.date}}', width: 13 },
        { heading: labels.service, text: '{{service.title}}', width: 26 },
        { heading: labels.quantity, text: '{{service.quantity}}', width: 7, align: 'right' },
        { heading: labels.price, text: '{{service.price}}', width: 12, align: 'right' },
      ],
    },
    {
      type: 'facts',
      facts: [
        { label: `${labels.total}${labels.colon}`, value: '{{booking.total}}' },
        { label: `${labels.taxIncluded}${labels.colon}`, value: '{{booking.tax}}' },
      ],
    },
  ];
}

function itineraryOf(labels: TravelLabels): Block[] {
  return [
    {
      type: 'table',
      list: 'services',
      columns: [
        { heading: labels.start, text: '{{service.start}}', width: 16 },
        { heading: labels.service, text: '{{service.title}}', width: 16 },
        { heading: labels.quantity, text: '{{service.quantity}}', width: 6, align: 'right' },
        { heading: labels.meetingPoint, text: '{{service.meetingPoint}}', width: 12 },
        { heading: labels.pickup, text: '{{service.pickup}}', width: 10 },
        { heading: labels.end, text: '{{service.end}}', width: 14 },
      ],
    },
  ];
}

function foot(): Block[] {
  return [{ type: 'spacer' }, { type: 'text', text: '{{company.insolvencyProtection}}\n{{company.footer}}' }];
}
