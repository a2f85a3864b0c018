import type { Content } from 'pdfmake';
import { bold, createPdf, type DrawText, type PdfLayout } from '../../../platform/pdf/pdf.js';
import { timeInWords } from '../../../platform/time/day-in-words.js';
import type { DocumentLanguage } from '../../organization/index.js';
import type { PrintedHead } from '../manifests/manifest-pdf.js';
import { ROOMING_LABELS, type RoomingLabels } from './rooming-list-labels.js';
import type { RoomingListResponse, RoomingListRoom, RoomingPerson } from './rooming.dto.js';

/** A column of a table: its heading, its width in units of the font size, and the text of a row. */
interface Column<Row> {
  heading: string;
  ems: number;
  text: (row: Row) => string;
}

export interface PrintedRoomingList {
  language: DocumentLanguage;
  head: PrintedHead;
  list: RoomingListResponse;
}

/** The list for a hotel, in landscape: people without a room, rooms, totals. The same list always gives the same bytes. */
export async function renderRoomingList(printed: PrintedRoomingList): Promise<Buffer> {
  const words = JSON.stringify(ROOMING_LABELS[printed.language]);
  return createPdf(`${words} ${JSON.stringify([printed.head, printed.list])}`, (draw) => layoutOf(printed, draw));
}

function layoutOf({ language, head, list }: PrintedRoomingList, draw: DrawText): PdfLayout {
  const { withoutRoom, rooms, totals, localStart, timeZone } = list;
  const labels = ROOMING_LABELS[language];
  const line = (label: string, value: string): Content => draw({ label, value }, 90);
  const titled = (label: string, value: string): Content => line(`${label}${labels.colon}`, value);
  const numbered = rooms.map((room, index) => ({ ...room, number: index + 1 }));
  return {
    title: `${labels.title} ${head.productTitle} ${localStart}`,
    language,
    day: list.generatedAt.slice(0, 10),
    orientation: 'landscape',
    styles: {
      title: { fontSize: 16, bold: true, margin: [0, 0, 0, 8] },
      heading: { fontSize: 12, bold: true, margin: [0, 10, 0, 4] },
    },
    content: [
      draw({ label: null, value: head.companyName }, 90),
      { text: labels.title, style: 'title' },
      titled(labels.product, head.productTitle),
      titled(labels.start, timeInWords(new Date(list.startsAt), { language, timeZone })),
      titled(labels.asOf, timeInWords(new Date(list.generatedAt), { language, timeZone })),
      { text: `${labels.withoutRoom}${labels.colon} ${withoutRoom.length}`, style: 'heading' },
      ...(withoutRoom.length === 0 ? [] : [tableOf(peopleColumns(labels), withoutRoom, draw)]),
      { text: `${labels.rooms}${labels.colon} ${rooms.length}`, style: 'heading' },
      ...(rooms.length === 0 ? [] : [tableOf(roomColumns(labels), numbered, draw)]),
      { text: labels.totals, style: 'heading' },
      ...totals.map(({ night, type, rooms: count, people, capacity }) => {
        const beds = `${labels.beds}${labels.colon} ${labels.ofBeds(people, capacity)}`;
        return line(night, `${count} × ${labels.types[type]}; ${beds}`);
      }),
    ],
  };
}

function peopleColumns(labels: RoomingLabels): Column<RoomingPerson>[] {
  return [
    { heading: labels.booking, ems: 12, text: (person) => bookingOf(person, labels) },
    { heading: labels.name, ems: 22, text: ({ name }) => name },
    { heading: labels.customer, ems: 22, text: ({ customerName }) => customerName },
    { heading: labels.unit, ems: 16, text: ({ unit }) => unit },
    { heading: labels.age, ems: 4, text: ({ age }) => (age === null ? '' : String(age)) },
  ];
}

function roomColumns(labels: RoomingLabels): Column<RoomingListRoom & { number: number }>[] {
  return [
    {
      heading: labels.room,
      ems: 10,
      text: ({ number, label }) => (label === null ? String(number) : `${number}\n${label}`),
    },
    { heading: labels.facility, ems: 14, text: ({ facilityName }) => facilityName ?? '' },
    { heading: labels.type, ems: 7, text: ({ type }) => labels.types[type] },
    { heading: labels.nights, ems: 8, text: ({ from, to }) => `${from}\n${to}` },
    { heading: labels.beds, ems: 5, text: ({ people, capacity }) => labels.ofBeds(people.length, capacity) },
    { heading: labels.people, ems: 24, text: ({ people }) => people.map((one) => namedPerson(one, labels)).join('\n') },
    { heading: labels.note, ems: 16, text: ({ note }) => note ?? '' },
  ];
}

function tableOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[], draw: DrawText): Content {
  return {
    layout: 'lightHorizontalLines',
    table: {
      headerRows: 1,
      dontBreakRows: true,
      widths: columns.map(() => 'auto'),
      body: [
        columns.map(({ heading }) => bold(heading)),
        ...rows.map((row) => columns.map(({ text, ems }) => draw({ label: null, value: text(row) }, ems))),
      ],
    },
  };
}

function bookingOf({ bookingNumber, isProvisional }: RoomingPerson, { provisional }: RoomingLabels): string {
  return isProvisional ? `${bookingNumber}\n${provisional}` : bookingNumber;
}

function namedPerson({ name, bookingNumber, age }: RoomingPerson, { aged }: RoomingLabels): string {
  return age === null ? `${name} (${bookingNumber})` : `${name} (${bookingNumber}, ${aged(age)})`;
}
