import { timeInWords } from '../../../platform/time/day-in-words.js';
import type { DocumentLanguage } from '../../organization/index.js';
import { groupedCode } from './voucher-code.js';
import { VOUCHER_LABELS } from './voucher-labels.js';

/** A voucher stays on one page: further people of a group are counted as guests. */
const MOST_NAMES = 20;

/** A voucher with the present data of its booking. */
export interface PrintedVoucher {
  code: string;
  bookingNumber: string;
  /** The language tag of the customer; null if unknown. */
  language: string | null;
  productId: string | null;
  /** Title of the item, as it was sold. */
  itemTitle: string;
  startsAt: Date | null;
  endsAt: Date | null;
  timeZone: string | null;
  /** `YYYY-MM-DD`; for an item without a departure. */
  serviceDate: string | null;
  meetingPoint: string | null;
  meetingAddress: string | null;
  people: number;
  /** Names of those whose names are known. */
  names: readonly string[];
}

/** The company, as vouchers show it. */
export interface Operator {
  tradeName: string | null;
  legalName: string;
  address: string | null;
  phone: string | null;
  email: string | null;
  emergencyPhone: string | null;
}

/** The texts of a document with vouchers, independent of the file format. */
export interface VoucherDocument {
  language: DocumentLanguage;
  title: string;
  /** `YYYY-MM-DD`, the day of the rendition. */
  day: string;
  operator: string;
  operatorLines: readonly string[];
  note: string;
  vouchers: readonly VoucherTexts[];
}

export interface VoucherTexts {
  /** The content of the QR code. */
  code: string;
  /** The code for people, below it. */
  displayCode: string;
  title: string;
  lines: readonly { label: string; value: string }[];
}

/** `titles` are those of products, by their ids. */
export function voucherDocument(
  vouchers: readonly [PrintedVoucher, ...PrintedVoucher[]],
  {
    profile,
    titles,
    language,
    day,
  }: {
    profile: Operator;
    titles: ReadonlyMap<string, string>;
    language: DocumentLanguage;
    day: string;
  },
): VoucherDocument {
  const labels = VOUCHER_LABELS[language];
  const [{ bookingNumber }] = vouchers;
  const { tradeName, legalName, address, phone, email, emergencyPhone } = profile;
  const emergency = emergencyPhone === null ? null : `${labels.emergency}${labels.colon} ${emergencyPhone}`;
  return {
    language,
    title: `${vouchers.length === 1 ? labels.voucher : labels.vouchers} ${bookingNumber}`,
    day,
    operator: tradeName ?? legalName,
    operatorLines: [address, phone, email, emergency].filter((line) => line !== null),
    note: labels.show,
    vouchers: vouchers.map((voucher) => {
      const title = titles.get(voucher.productId ?? '') ?? voucher.itemTitle;
      return {
        code: voucher.code,
        displayCode: groupedCode(voucher.code),
        title,
        lines: linesOf(voucher, title, language),
      };
    }),
  };
}

function linesOf(voucher: PrintedVoucher, title: string, language: DocumentLanguage): VoucherTexts['lines'] {
  const labels = VOUCHER_LABELS[language];
  const { startsAt, endsAt, timeZone, serviceDate, itemTitle, names, people } = voucher;
  const shown = names.slice(0, MOST_NAMES);
  const guests = Math.max(0, people - shown.length);
  const unnamed = guests === 0 ? [] : [`${guests} ${guests === 1 ? labels.guest : labels.guests}`];
  const place = [voucher.meetingPoint, voucher.meetingAddress].filter((part) => part !== null).join('\n');
  const time = (instant: Date): string => timeInWords(instant, { language, timeZone: timeZone ?? 'UTC' });
  const texts: [string, string | null][] = [
    [labels.service, itemTitle === title ? null : itemTitle],
    [labels.start, startsAt && time(startsAt)],
    [labels.end, endsAt && time(endsAt)],
    [labels.date, startsAt === null && serviceDate !== null ? dayIn(serviceDate, language) : null],
    [labels.meetingPoint, place === '' ? null : place],
    [labels.people, [...shown, ...unnamed].join('\n')],
    [labels.booking, voucher.bookingNumber],
  ];
  return texts.flatMap(([label, value]) => (value ? [{ label: `${label}${labels.colon}`, value }] : []));
}

function dayIn(day: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'full', timeZone: 'UTC' }).format(Date.parse(day));
}
