import type { Content } from 'pdfmake';
import { bold, createPdf, type DrawText, type PdfLayout } from '../../../platform/pdf/pdf.js';
import { timeInWords } from '../../../platform/time/day-in-words.js';
import type { ResourceWarning } from '../../operations/index.js';
import type { DocumentLanguage } from '../../organization/index.js';
import { MANIFEST_LABELS, type ManifestLabels } from './manifest-labels.js';
import type { ManifestPerson, ManifestResource, ManifestResponse } from './manifest.dto.js';

/** A column of the list: its heading, its width in units of the font size, and the text of a person. */
interface Column {
  heading: string;
  ems: number;
  text: (person: ManifestPerson) => string;
}

/** Names in the language of the list. */
export interface PrintedHead {
  companyName: string;
  productTitle: string;
}

export interface PrintedManifest {
  language: DocumentLanguage;
  head: PrintedHead;
  manifest: ManifestResponse;
}

/** The list with which a guide works: landscape, with one row per person. The same manifest always gives the same bytes. */
export async function renderManifest(printed: PrintedManifest): Promise<Buffer> {
  const words = JSON.stringify(MANIFEST_LABELS[printed.language]);
  return createPdf(`${words} ☐ ${JSON.stringify([printed.head, printed.manifest])}`, (draw) => layoutOf(printed, draw));
}

function layoutOf({ language, head, manifest }: PrintedManifest, draw: DrawText): PdfLayout {
  const { people, dietary, localStart, timeZone, sold, held, capacity, resourceWarnings: warnings } = manifest;
  const labels = MANIFEST_LABELS[language];
  const columns = columnsOf(people, labels);
  const line = (label: string, value: string | null): Content[] =>
    value ? [draw({ label: `${label}${labels.colon}`, value }, 90)] : [];
  const time = (instant: string): string => timeInWords(new Date(instant), { language, timeZone });
  const present = people.filter(({ isCancelled }) => !isCancelled).length;
  const units = `${labels.sold} ${sold}, ${labels.held} ${held}, ${labels.capacity} ${capacity}`;
  return {
    title: `${labels.title} ${head.productTitle} ${localStart}`,
    language,
    day: manifest.generatedAt.slice(0, 10),
    orientation: 'landscape',
    styles: { title: { fontSize: 16, bold: true, margin: [0, 0, 0, 8] }, block: { margin: [0, 8, 0, 0] } },
    content: [
      draw({ label: null, value: head.companyName }, 90),
      { text: labels.title, style: 'title' },
      ...line(labels.product, head.productTitle),
      ...line(labels.start, time(manifest.startsAt)),
      ...line(labels.meetingPoint, manifest.meetingPoint),
      ...line(labels.people, `${present} (${units})`),
      ...line(
        labels.dietaryNeeds,
        dietary.map(({ need, people: count }) => `${count} ${labels.needs[need] ?? need}`).join(', '),
      ),
      ...line(labels.soldAs, manifest.units.map(({ unit, people: count }) => `${count} × ${unit}`).join(', ')),
      ...line(labels.resources, manifest.resources.map((one) => resourceOf(one, labels)).join(', ')),
      ...line(labels.attention, warnings.map((warning) => warningOf(warning, labels)).join('; ')),
      ...line(labels.asOf, time(manifest.generatedAt)),
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

/** The columns of all manifests, and those that the request asked for and that have a text. */
function columnsOf(people: readonly ManifestPerson[], labels: ManifestLabels): Column[] {
  const columns: Column[] = [
    { heading: labels.booking, ems: 9, text: (person) => bookingOf(person, labels) },
    { heading: labels.name, ems: 16, text: ({ name, customerName }) => `${name}\n${customerName}` },
    { heading: labels.unit, ems: 10, text: ({ unit }) => unit },
    { heading: labels.pickup, ems: 12, text: pickupTextOf },
    { heading: labels.age, ems: 3, text: ({ age }) => (age === null ? '' : String(age)) },
    { heading: labels.phone, ems: 10, text: ({ phone, language }) => `${phone ?? ''}\n${language ?? ''}` },
    {
      heading: labels.dietary,
      ems: 8,
      text: ({ dietary }) => dietary.map((need) => labels.needs[need] ?? need).join('\n'),
    },
    {
      heading: labels.emergency,
      ems: 12,
      text: ({ emergencyContact: one }) => (one ? `${one.name}\n${one.phone}` : ''),
    },
    { heading: labels.otherServices, ems: 12, text: ({ otherServices }) => otherServices.join('\n') },
    { heading: labels.toPay, ems: 4, text: ({ isBalanceDue }) => (isBalanceDue ? labels.yes : '') },
    {
      heading: labels.arrived,
      ems: 5,
      text: ({ checkIn: { state } }) => ({ arrived: labels.yes, no_show: labels.no, none: '☐' })[state],
    },
  ];
  const requested: Column[] = [
    { heading: labels.answers, ems: 16, text: answersOf },
    { heading: labels.documentAndNotes, ems: 14, text: sensitiveOf },
  ];
  return [...columns, ...requested.filter(({ text }) => people.some((person) => text(person) !== ''))];
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

function resourceOf({ name, role, type }: ManifestResource, { resourceTypes }: ManifestLabels): string {
  return `${name} (${role ?? resourceTypes[type]})`;
}

function warningOf({ code, resourceType, ...warning }: ResourceWarning, labels: ManifestLabels): string {
  const { required, available, resourceName, documentKind, expiresOn } = warning;
  const type = labels.resourceTypes[resourceType];
  switch (code) {
    case 'understaffed':
      return `${type}: ${labels.assigned(available ?? 0, required ?? 0)}`;
    case 'vehicle_too_small':
      return `${type}: ${labels.seatsFor(available ?? 0, required ?? 0)}`;
    case 'document_expired':
      return `${resourceName}: ${documentKind} ${labels.expires} ${expiresOn}`;
  }
}

function bookingOf({ bookingNumber, isProvisional, isCancelled }: ManifestPerson, labels: ManifestLabels): string {
  const notes = [isProvisional ? labels.provisional : null, isCancelled ? labels.cancelled : null];
  return [bookingNumber, ...notes].filter((part) => part !== null).join('\n');
}

function answersOf({ answers = [] }: ManifestPerson): string {
  return answers.map(({ label, values }) => `${label}: ${values.join(', ')}`).join('\n');
}

function sensitiveOf({ document, healthNote, mobilityNote }: ManifestPerson): string {
  const passport = document ? `${document.type} ${document.number} ${document.issuingCountry}` : null;
  return [passport, healthNote, mobilityNote].filter((part) => part !== null && part !== undefined).join('\n');
}
