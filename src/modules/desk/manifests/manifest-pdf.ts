import type { Content } from 'pdfmake';
import { bold, createPdf, type DrawText, type PdfLayout } from '../../../platform/pdf/pdf.js';
import type { ResourceWarning } from '../../operations/index.js';
import type { ManifestPerson, ManifestResource, ManifestResponse } from './manifest.dto.js';

/** A column of the list: its heading, its width in units of the font size, and the text of a person. */
interface Column {
  heading: string;
  ems: number;
  text: (person: ManifestPerson) => string;
}

const COLUMNS: readonly Column[] = [
  { heading: 'Booking', ems: 9, text: bookingOf },
  { heading: 'Name', ems: 16, text: ({ name, customerName }) => `${name}\n${customerName}` },
  { heading: 'Unit', ems: 10, text: ({ unit }) => unit },
  { heading: 'Pickup', ems: 12, text: pickupTextOf },
  { heading: 'Age', ems: 3, text: ({ age }) => (age === null ? '' : String(age)) },
  { heading: 'Phone', ems: 10, text: ({ phone, language }) => `${phone ?? ''}\n${language ?? ''}` },
  { heading: 'Dietary', ems: 8, text: ({ dietary }) => dietary.join('\n').replaceAll('_', ' ') },
  {
    heading: 'In an emergency',
    ems: 12,
    text: ({ emergencyContact: one }) => (one ? `${one.name}\n${one.phone}` : ''),
  },
  { heading: 'Also booked', ems: 12, text: ({ otherServices }) => otherServices.join('\n') },
  { heading: 'To pay', ems: 4, text: ({ isBalanceDue }) => (isBalanceDue ? 'yes' : '') },
  {
    heading: 'Arrived',
    ems: 5,
    text: ({ checkIn: { state } }) => ({ arrived: 'yes', no_show: 'no', none: '☐' })[state],
  },
];
const SENSITIVE: Column = { heading: 'Document and notes', ems: 14, text: sensitiveOf };

/** The list with which a guide works: landscape, with one row per person. The same manifest always gives the same bytes. */
export async function renderManifest(manifest: ManifestResponse): Promise<Buffer> {
  const labels = COLUMNS.map(({ heading }) => heading).join('');
  return createPdf(`${labels} ☐ ${JSON.stringify(manifest)}`, (draw) => layoutOf(manifest, draw));
}

function layoutOf(manifest: ManifestResponse, draw: DrawText): PdfLayout {
  const { people, dietary, localStart, resourceWarnings: warnings } = manifest;
  const isSensitive = people.some((person) => sensitiveOf(person) !== '');
  const columns = isSensitive ? [...COLUMNS, SENSITIVE] : COLUMNS;
  const line = (label: string, value: string): Content => draw({ label, value }, 90);
  const present = people.filter(({ isCancelled }) => !isCancelled).length;
  return {
    title: `Manifest ${manifest.productId} ${localStart}`,
    language: 'en',
    day: manifest.generatedAt.slice(0, 10),
    orientation: 'landscape',
    styles: { title: { fontSize: 16, bold: true, margin: [0, 0, 0, 8] }, block: { margin: [0, 8, 0, 0] } },
    content: [
      { text: 'Manifest', style: 'title' },
      line('Product:', manifest.productId),
      line('Start:', `${localStart} (${manifest.timeZone})`),
      line('Meeting point:', manifest.meetingPoint ?? ''),
      line('People:', `${present} (sold ${manifest.sold}, held ${manifest.held}, capacity ${manifest.capacity})`),
      line(
        'Dietary needs:',
        dietary.map(({ need, people: count }) => `${count} ${need.replaceAll('_', ' ')}`).join(', '),
      ),
      line('Sold as:', manifest.units.map(({ unit, people: count }) => `${count} × ${unit}`).join(', ')),
      line('Resources:', manifest.resources.map(resourceOf).join(', ')),
      ...(warnings.length > 0 ? [line('Attention:', warnings.map(warningOf).join('; '))] : []),
      line('As of:', manifest.generatedAt),
      {
        layout: 'lightHorizontalLines',
        style: 'block',
        table: {
          headerRows: 1,
          dontBreakRows: true,
          widths: columns.map(() => 'auto'),
          body: [columns.map(({ heading }) => bold(heading)), ...rowsOf(manifest, columns, draw)],
        },
      },
    ],
  };
}

/** The rows of the people; above each group but a booking, which has a column, a row with its name. */
function rowsOf(
  { people, groups, groupBy }: ManifestResponse,
  columns: readonly Column[],
  draw: DrawText,
): Content[][] {
  const rowOf = (person: ManifestPerson) =>
    columns.map(({ text, ems }) => draw({ label: null, value: text(person) }, ems));
  if (groupBy === 'booking') return people.map(rowOf);
  let start = 0;
  return groups.flatMap(({ label, people: count }) => {
    const members = people.slice(start, start + count);
    start += count;
    const name = draw({ label: null, value: `${label ?? '–'} (${count})` }, 90);
    const heading = { stack: [name], bold: true, colSpan: columns.length };
    return [[heading, ...columns.slice(1).map(() => '')], ...members.map(rowOf)];
  });
}

function pickupTextOf({ pickup }: ManifestPerson): string {
  if (pickup === null) return '';
  const { localTime, facilityName, note } = pickup;
  return [localTime?.slice(-5), facilityName, note].filter((part) => part !== null && part !== undefined).join('\n');
}

function resourceOf({ name, role, type }: ManifestResource): string {
  return `${name} (${role ?? type.replaceAll('_', ' ')})`;
}

function warningOf({ code, resourceType, ...warning }: ResourceWarning): string {
  const { required, available, resourceName, documentKind, expiresOn } = warning;
  switch (code) {
    case 'understaffed':
      return `${resourceType}: ${available} of ${required} assigned`;
    case 'vehicle_too_small':
      return `${resourceType}: ${available} seats for ${required} people`;
    case 'document_expired':
      return `${resourceName}: ${documentKind} expires on ${expiresOn}`;
  }
}

function bookingOf({ bookingNumber, isProvisional, isCancelled }: ManifestPerson): string {
  const notes = [isProvisional ? 'provisional' : null, isCancelled ? 'cancelled' : null];
  return [bookingNumber, ...notes].filter((part) => part !== null).join('\n');
}

function sensitiveOf({ document, healthNote, mobilityNote }: ManifestPerson): string {
  const passport = document ? `${document.type} ${document.number} ${document.issuingCountry}` : null;
  return [passport, healthNote, mobilityNote].filter((part) => part !== null && part !== undefined).join('\n');
}
