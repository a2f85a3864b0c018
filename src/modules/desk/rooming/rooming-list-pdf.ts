import type { Content } from 'pdfmake';
import { bold, createPdf, type DrawText, type PdfLayout } from '../../../platform/pdf/pdf.js';
import type { RoomingListResponse, RoomingListRoom, RoomingPerson } from './rooming.dto.js';

/** A column of a table: its heading, its width in units of the font size, and the text of a row. */
interface Column<Row> {
  heading: string;
  ems: number;
  text: (row: Row) => string;
}

const PEOPLE: readonly Column<RoomingPerson>[] = [
  { heading: 'Booking', ems: 12, text: bookingOf },
  { heading: 'Name', ems: 22, text: ({ name }) => name },
  { heading: 'Customer', ems: 22, text: ({ customerName }) => customerName },
  { heading: 'Unit', ems: 16, text: ({ unit }) => unit },
  { heading: 'Age', ems: 4, text: ageOf },
];
const ROOMS: readonly Column<RoomingListRoom & { number: number }>[] = [
  { heading: 'Room', ems: 10, text: ({ number, label }) => (label === null ? String(number) : `${number}\n${label}`) },
  { heading: 'Facility', ems: 14, text: ({ facilityName }) => facilityName ?? '' },
  { heading: 'Type', ems: 6, text: ({ type }) => type },
  { heading: 'Nights', ems: 8, text: ({ from, to }) => `${from}\n${to}` },
  { heading: 'Beds', ems: 5, text: ({ people, capacity }) => `${people.length} of ${capacity}` },
  { heading: 'People', ems: 24, text: ({ people }) => people.map(namedPerson).join('\n') },
  { heading: 'Note', ems: 16, text: ({ note }) => note ?? '' },
];

/** The list for a hotel, in landscape: people without a room, rooms, totals. The same list always gives the same bytes. */
export async function renderRoomingList(list: RoomingListResponse): Promise<Buffer> {
  const labels = [...PEOPLE, ...ROOMS].map(({ heading }) => heading).join('');
  return createPdf(`${labels} ${JSON.stringify(list)}`, (draw) => layoutOf(list, draw));
}

function layoutOf(list: RoomingListResponse, draw: DrawText): PdfLayout {
  const { withoutRoom, rooms, totals, localStart } = list;
  const line = (label: string, value: string): Content => draw({ label, value }, 90);
  const numbered = rooms.map((room, index) => ({ ...room, number: index + 1 }));
  return {
    title: `Rooming list ${list.productId} ${localStart}`,
    language: 'en',
    day: list.generatedAt.slice(0, 10),
    orientation: 'landscape',
    styles: {
      title: { fontSize: 16, bold: true, margin: [0, 0, 0, 8] },
      heading: { fontSize: 12, bold: true, margin: [0, 10, 0, 4] },
    },
    content: [
      { text: 'Rooming list', style: 'title' },
      line('Product:', list.productId),
      line('Start:', `${localStart} (${list.timeZone})`),
      line('As of:', list.generatedAt),
      { text: `Without a room: ${withoutRoom.length}`, style: 'heading' },
      ...(withoutRoom.length === 0 ? [] : [tableOf(PEOPLE, withoutRoom, draw)]),
      { text: `Rooms: ${rooms.length}`, style: 'heading' },
      ...(rooms.length === 0 ? [] : [tableOf(ROOMS, numbered, draw)]),
      { text: 'Totals per night', style: 'heading' },
      ...totals.map(({ night, type, rooms: count, people, capacity }) =>
        line(night, `${count} ${type}, ${people} of ${capacity} beds`),
      ),
    ],
  };
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

function bookingOf({ bookingNumber, isProvisional }: RoomingPerson): string {
  return isProvisional ? `${bookingNumber}\nprovisional` : bookingNumber;
}

function ageOf({ age }: RoomingPerson): string {
  return age === null ? '' : String(age);
}

function namedPerson({ name, bookingNumber, age }: RoomingPerson): string {
  return age === null ? `${name} (${bookingNumber})` : `${name} (${bookingNumber}, age ${age})`;
}
