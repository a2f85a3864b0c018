import { localMoney } from '../../../platform/money/local-money.js';
import { dayInWords, departureTimeInWords } from '../../../platform/time/day-in-words.js';
import type { BookedService, BookingFacts } from '../targets/booking-facts.js';
import type { DueTarget } from '../targets/reminder-source.js';
import type { LiveTrigger } from '../targets/reminder-trigger.js';
import type { Placeholders, TemplateValues } from './template-text.js';

const COMMON = [
  ...['customer.name', 'booking.number', 'booking.departureDate', 'booking.returnDate'],
  ...['booking.tour', 'booking.start', 'booking.meetingPoint'],
  ...['booking.total', 'booking.balance', 'booking.balanceDueDate'],
  ...['company.name', 'company.email', 'company.phone', 'company.website'],
];
const PAYMENT = ['amount', 'dueDate', 'bank.holder', 'bank.iban', 'bank.bic'];
const LISTS = {
  items: ['item.title', 'item.tour', 'item.date', 'item.start', 'item.meetingPoint', 'item.quantity'],
};
const CHANGES = {
  changes: ['change.title', 'change.start', 'change.formerStart', 'change.meetingPoint', 'change.formerMeetingPoint'],
};

const OF_TRIGGER: Record<LiveTrigger, readonly string[]> = {
  deposit_due: PAYMENT,
  balance_due: PAYMENT,
  installment_due: PAYMENT,
  invoice_due: PAYMENT,
  departure_upcoming: [],
  departure_changed: ['formerDepartureDate'],
  booking_confirmed: [],
  booking_cancelled: ['cancellation.fee', 'cancellation.openFee', 'cancellation.refund', 'cancellation.credit'],
  payment_complete: [],
};

/** The company, as mails name it. */
export interface CompanyFacts {
  name: string;
  email: string | null;
  phone: string | null;
  website: string | null;
  bankAccounts: readonly { holder: string; iban: string; bic: string | null; currency: string; isDefault: boolean }[];
}

/** What a mail is about. */
export interface MailFacts {
  customerName: string;
  /** Null for a mail about no booking. */
  booking: BookingFacts | null;
  /** Null for a mail without a trigger. */
  target: Pick<DueTarget, 'anchorDate' | 'ask' | 'moved' | 'cancellation'> | null;
  company: CompanyFacts;
}

/** The placeholders of templates for this trigger; null stands for messages that staff send. */
export function placeholdersOf(trigger: LiveTrigger | null): Placeholders {
  return {
    values: [...COMMON, ...(trigger === null ? [] : OF_TRIGGER[trigger])],
    lists: trigger === 'departure_changed' ? { ...LISTS, ...CHANGES } : LISTS,
  };
}

/** The values in this language: days and amounts are written as its readers expect. */
export function valuesOf({ customerName, booking, target, company }: MailFacts, language: string): TemplateValues {
  const day = (date: string | null | undefined) => (date ? dayInWords(date, language) : null);
  const { ask = null, cancellation = null } = target ?? {};
  const rest = cancellation?.restCents;
  const amount = (cents: number | null | undefined) =>
    cents && cancellation ? localMoney({ cents, currency: cancellation.currency }, language) : null;
  const start = (service: BookedService | undefined) =>
    service?.start ? departureTimeInWords(service.start, language) : null;
  const price = (cents: number | null | undefined) =>
    typeof cents === 'number' && booking ? localMoney({ cents, currency: booking.currency }, language) : null;
  const services = booking?.items ?? [];
  const main = services.find((service) => service.start !== null) ?? services[0];
  const account = ask && accountFor(company, ask.currency);
  return {
    values: new Map([
      ['customer.name', customerName],
      ['booking.number', booking?.bookingNumber ?? null],
      ['booking.departureDate', day(booking?.departureDate)],
      ['booking.returnDate', day(booking?.returnDate)],
      ['booking.tour', main?.tour ?? main?.title ?? null],
      ['booking.start', start(main)],
      ['booking.meetingPoint', main?.meetingPoint ?? null],
      ['booking.total', price(booking?.totalCents)],
      ['booking.balance', price(booking?.balanceCents)],
      ['booking.balanceDueDate', day(booking?.balanceDueOn)],
      ['company.name', company.name],
      ['company.email', company.email],
      ['company.phone', company.phone],
      ['company.website', company.website],
      ['amount', ask && localMoney(ask, language)],
      ['dueDate', day(target?.anchorDate)],
      ['bank.holder', account?.holder ?? null],
      ['bank.iban', account?.iban ?? null],
      ['bank.bic', account?.bic ?? null],
      ['cancellation.fee', amount(cancellation?.feeCents)],
      ['cancellation.openFee', amount(cancellation?.openFeeCents)],
      ['cancellation.refund', cancellation?.outcome === 'refund' ? amount(rest) : null],
      ['cancellation.credit', cancellation?.outcome === 'credit' ? amount(rest) : null],
      ['formerDepartureDate', day(target?.moved?.from)],
    ]),
    lists: new Map([
      [
        'items',
        services.map(
          (service) =>
            new Map([
              ['item.title', service.title],
              ['item.tour', service.tour ?? service.title],
              ['item.date', day(service.date)],
              ['item.start', start(service)],
              ['item.meetingPoint', service.meetingPoint],
              ['item.quantity', String(service.quantity)],
            ]),
        ),
      ],
      [
        'changes',
        (target?.moved?.departures ?? []).map(
          ({ title, timeZone, from, to }) =>
            new Map([
              ['change.title', title],
              ['change.start', departureTimeInWords({ ...to, timeZone }, language)],
              ['change.formerStart', departureTimeInWords({ ...from, timeZone }, language)],
              ['change.meetingPoint', to.place],
              ['change.formerMeetingPoint', from.place],
            ]),
        ),
      ],
    ]),
  };
}

/** Facts for a preview without a booking. The company is the real one. */
export function sampleFacts(company: CompanyFacts): MailFacts {
  const [departureDate, returnDate] = ['2027-06-12', '2027-06-19'];
  const start = { startsAt: new Date('2027-06-12T09:30:00Z'), timeZone: 'UTC' };
  const service = { tour: null, date: departureDate, start: null, meetingPoint: null };
  return {
    customerName: 'Clara Example',
    booking: {
      ...{ bookingId: '', bookingNumber: 'B-2027-0001', customerId: null, customerName: 'Clara Example' },
      ...{ customerEmail: 'clara@example.com', language: null, departureDate, returnDate, currency: 'EUR' },
      ...{ totalCents: 246_900, balanceCents: 123_450, balanceDueOn: '2027-05-29' },
      items: [
        { ...service, title: 'Round trip', tour: 'Round trip', start, meetingPoint: 'Harbour', quantity: 2 },
        { ...service, title: 'Single room', quantity: 1 },
      ],
    },
    target: {
      anchorDate: '2027-05-29',
      ask: { cents: 123_450, currency: 'EUR' },
      cancellation: { currency: 'EUR', outcome: 'refund', feeCents: 24_690, openFeeCents: 0, restCents: 98_760 },
      moved: {
        ...{ from: '2027-06-11', to: departureDate },
        departures: [
          {
            ...{ title: 'Round trip', timeZone: 'UTC' },
            from: { startsAt: new Date('2027-06-11T08:00:00Z'), place: 'Station' },
            to: { startsAt: new Date('2027-06-12T09:30:00Z'), place: 'Harbour' },
          },
        ],
      },
    },
    company,
  };
}

/** The default account of the currency, otherwise the first one. */
export function accountFor({ bankAccounts }: CompanyFacts, currency: string) {
  const accounts = bankAccounts.filter((account) => account.currency === currency);
  return accounts.find(({ isDefault }) => isDefault) ?? accounts[0] ?? null;
}
