import type { DocumentTexts } from '../../documents/index.js';
import type { DocumentLanguage } from '../../organization/index.js';
import { MANIFEST_LABELS } from '../manifests/manifest-labels.js';
import type { ManifestPerson, ManifestResponse } from '../manifests/manifest.dto.js';
import { ROOMING_LABELS } from '../rooming/rooming-list-labels.js';
import type { RoomingListResponse, RoomingPerson } from '../rooming/rooming.dto.js';

type Printed<List> = List & { productTitle: string };

/** Returns the texts of a manifest for templates, without the people of cancelled items. */
export function manifestTexts(manifest: Printed<ManifestResponse>, language: DocumentLanguage): DocumentTexts {
  const people = manifest.people.filter(({ isCancelled }) => !isCancelled);
  return {
    values: {
      ...departureValues(manifest),
      'departure.meetingPoint': manifest.meetingPoint,
      'departure.people': String(people.length),
      'departure.capacity': String(manifest.capacity),
      'departure.resources': manifest.resources.map(({ name }) => name).join(', '),
    },
    lists: {
      people: people.map((person) => ({
        ...personValues(person),
        'person.customer': person.customerName,
        'person.phone': person.phone,
        'person.dietary': person.dietary.map((need) => MANIFEST_LABELS[language].needs[need] ?? need).join('\n'),
        'person.pickup': pickupOf(person),
        'person.emergency':
          person.emergencyContact && `${person.emergencyContact.name}\n${person.emergencyContact.phone}`,
        'person.otherServices': person.otherServices.join('\n'),
      })),
    },
  };
}

/** Returns the texts of a rooming list for templates. */
export function roomingTexts(list: Printed<RoomingListResponse>, language: DocumentLanguage): DocumentTexts {
  const { types } = ROOMING_LABELS[language];
  return {
    values: departureValues(list),
    lists: {
      rooms: list.rooms.map(({ label, facilityName, type, from, to, people, note }) => ({
        'room.label': label,
        'room.facility': facilityName,
        'room.type': types[type],
        'room.from': from,
        'room.to': to,
        'room.people': people.map(({ name }) => name).join('\n'),
        'room.note': note,
      })),
      withoutRoom: list.withoutRoom.map(personValues),
    },
  };
}

function departureValues({ productTitle, localStart, timeZone }: Printed<{ localStart: string; timeZone: string }>) {
  return { 'departure.product': productTitle, 'departure.start': `${localStart} (${timeZone})` };
}

function personValues({
  name,
  bookingNumber,
  unit,
  age,
}: Pick<RoomingPerson, 'name' | 'bookingNumber' | 'unit' | 'age'>) {
  return {
    'person.name': name,
    'person.booking': bookingNumber,
    'person.unit': unit,
    'person.age': age === null ? null : String(age),
  };
}

function pickupOf({ pickup }: ManifestPerson): string | null {
  if (pickup === null) return null;
  const { localTime, facilityName, note } = pickup;
  return [localTime?.slice(-5), facilityName, note].filter((part) => part !== null && part !== undefined).join('\n');
}
