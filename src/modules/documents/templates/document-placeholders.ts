import type { DocumentKind } from '../kinds/document-kinds.js';

/** Names of placeholders with an example of their value, which previews show. */
export type Examples = Readonly<Record<string, string>>;

/** The placeholders of a kind, and those of a row of each of its lists. */
export interface KindPlaceholders {
  values: Examples;
  lists: Readonly<Record<string, Examples>>;
}

const COMMON: Examples = {
  'company.name': 'Carpathia Travel',
  'company.legalName': 'Carpathia Travel GmbH',
  'company.address': 'Harbour Street 1\n78462 Konstanz',
  'company.email': 'office@example.com',
  'company.phone': '+49 7531 555 010',
  'company.emergencyPhone': '+49 7531 555 011',
  'company.website': 'https://example.com',
  'company.registrationNumber': 'HRB 555010',
  'company.licenceNumber': 'L-5550',
  'company.vatId': 'DE555010010',
  'company.insolvencyProtection': 'Travel Guarantee Fund',
  'company.footer': 'Thank you for travelling with us.',
  'document.date': '1 March 2027',
};

const TRAVEL: Examples = {
  ...COMMON,
  'document.title': 'Booking confirmation',
  'booking.number': 'B-2027-0001',
  'booking.startDate': '12 May 2027',
  'booking.endDate': '15 May 2027',
  'trip.title': 'Around the lake',
  'customer.name': 'Clara Meyer',
  'customer.address': 'Lake Road 5\n78462 Konstanz',
  'travelers.names': 'Clara Meyer\nTom Meyer',
};

const SERVICE: Examples = {
  'service.title': 'City tour\nAdult',
  'service.quantity': '2',
  'service.date': '12 May 2027',
  'service.start': 'Wednesday, 12 May 2027 at 09:00 (Europe/Berlin)',
  'service.end': 'Wednesday, 12 May 2027 at 12:00 (Europe/Berlin)',
  'service.meetingPoint': 'Pier 3',
  'service.pickup': '08:30\nHotel Seeblick',
};

const DEPARTURE: Examples = {
  ...COMMON,
  'departure.product': 'City tour',
  'departure.start': '2027-05-12 09:00 (Europe/Berlin)',
};

/** Desk provides a value for each of these names. */
export const PLACEHOLDERS: Readonly<Record<DocumentKind, KindPlaceholders>> = {
  confirmation: {
    values: { ...TRAVEL, 'booking.total': '€240.00', 'booking.tax': '€38.32' },
    lists: { services: { ...SERVICE, 'service.price': '€240.00' } },
  },
  itinerary: { values: TRAVEL, lists: { services: SERVICE } },
  manifest: {
    values: {
      ...DEPARTURE,
      'departure.meetingPoint': 'Pier 3',
      'departure.people': '12',
      'departure.capacity': '20',
      'departure.resources': 'Anna Weber, Bus 2',
    },
    lists: {
      people: {
        'person.name': 'Clara Meyer',
        'person.customer': 'Clara Meyer',
        'person.booking': 'B-2027-0001',
        'person.unit': 'Adult',
        'person.age': '34',
        'person.phone': '+49 7531 555 020',
        'person.dietary': 'vegan',
        'person.pickup': '08:30\nHotel Seeblick',
        'person.emergency': 'Tom Meyer\n+49 7531 555 021',
        'person.otherServices': 'Lunch',
      },
    },
  },
  rooming_list: {
    values: DEPARTURE,
    lists: {
      rooms: {
        'room.label': '204',
        'room.facility': 'Hotel Seeblick',
        'room.type': 'Twin',
        'room.from': '2027-05-12',
        'room.to': '2027-05-15',
        'room.people': 'Clara Meyer\nTom Meyer',
        'room.note': 'Ground floor',
      },
      withoutRoom: {
        'person.name': 'Ion Pop',
        'person.booking': 'B-2027-0002',
        'person.unit': 'Adult',
        'person.age': '41',
      },
    },
  },
};
