import { type CsvCell, csvLines } from '../../../platform/http/csv.js';
import type { ManifestPerson } from './manifest.dto.js';

const COLUMNS: readonly (readonly [name: string, cell: (person: ManifestPerson) => CsvCell])[] = [
  ['bookingNumber', ({ bookingNumber }) => bookingNumber],
  ['provisional', ({ isProvisional }) => isProvisional],
  ['cancelled', ({ isCancelled }) => isCancelled],
  ['name', ({ name }) => name],
  ['customerName', ({ customerName }) => customerName],
  ['unit', ({ unit }) => unit],
  ['age', ({ age }) => age],
  ['phone', ({ phone }) => phone],
  ['language', ({ language }) => language],
  ['dietary', ({ dietary }) => dietary.join(' ')],
  ['emergencyContact', ({ emergencyContact: contact }) => contact && `${contact.name} ${contact.phone}`],
  ['otherServices', ({ otherServices }) => otherServices.join(', ')],
  ['balanceDue', ({ isBalanceDue }) => isBalanceDue],
  ['balanceDueCents', ({ balanceDueCents }) => balanceDueCents],
  ['checkIn', ({ checkIn }) => checkIn.state],
  ['document', ({ document }) => document && `${document.type} ${document.number} ${document.issuingCountry}`],
  ['documentExpiresOn', ({ document }) => document?.expiresOn],
  ['healthNote', ({ healthNote }) => healthNote],
  ['mobilityNote', ({ mobilityNote }) => mobilityNote],
  ['option', ({ option }) => option],
  ['pickupTime', ({ pickup }) => pickup?.localTime],
  ['pickup', ({ pickup }) => pickup?.facilityName],
  ['pickupNote', ({ pickup }) => pickup?.note],
  ['answers', ({ answers }) => answers?.map(({ label, values }) => `${label}: ${values.join(', ')}`).join('; ')],
];

/** The people of a manifest with a header line; columns that the caller may not see or did not ask for are empty. */
export function manifestCsv(people: readonly ManifestPerson[]): string {
  const header = COLUMNS.map(([name]) => name);
  return csvLines([header, ...people.map((person) => COLUMNS.map(([, cell]) => cell(person)))]);
}
