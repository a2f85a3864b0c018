import { dataOf } from '../../../platform/http/dto.js';
import { Cents, Flag, Id, ListOf, Nested, OneOf, Text, Whole } from '../../../platform/http/fields.js';
import { extensible } from '../../../platform/http/named-values.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { BookingRow } from '../../bookings/index.js';
import { STATEMENT_ENTRIES } from '../../finance/index.js';
import { NOTE_VISIBILITIES, type NoteVisibility } from '../notes/note.entity.js';
import { TASK_SOURCES, type TaskSource } from '../tasks/task.entity.js';

const MAX_ROWS = 10_000;
const LOWEST = -Number.MAX_SAFE_INTEGER;
export const MAX_MESSAGES = 20;
export const MAX_TASKS = 50;
export const MAX_NOTES = 20;

export const BOOKING_SECTIONS = extensible('BookingPageSection', [
  'statement',
  'contracts',
  'messages',
  'tasks',
  'notes',
]);
export type BookingSection = (typeof BOOKING_SECTIONS)[number];

/** An item of the booking with the names of what it sells. */
export class BookingPageItem {
  /** ID of the item (prefix `bkit`). */
  @Id('bkit')
  id: string;

  /** Kind of service. */
  @Text({ max: 50 })
  type: string;

  /** Title as documents show it. */
  @Text({ max: 500 })
  title: string;

  /** State of the item. */
  @Text({ max: 20 })
  status: string;

  /** Units sold. */
  @Whole({ min: 1, max: 1_000_000 })
  quantity: number;

  /** Price of the whole quantity with tax, in minor units of the booking's currency. */
  @Cents({ min: LOWEST })
  totalSellCents: number;

  /** Day of the service; null if it is open. */
  @IsoDate()
  serviceDate: string | null;

  /** Departure whose units the item takes (prefix `dep`); null without one. */
  @Id('dep')
  departureId: string | null;

  /** Name of the product of the departure, or its ID without a record; null without a departure. */
  @Text({ max: 500 })
  productName: string | null;

  /**
   * Local start of the departure, as `YYYY-MM-DD HH:MM`; null without one.
   * @example "2027-05-12 08:00"
   */
  @Text({ max: 16 })
  localStart: string | null;

  /** State of the order at the supplier. */
  @Text({ max: 20 })
  supplierStatus: string;
}

/** A person of the booking. */
export class BookingPageTraveler {
  /** ID of the traveler (prefix `trav`). */
  @Id('trav')
  id: string;

  /** First name; null if it is not known. */
  @Text({ max: 200 })
  firstName: string | null;

  /** Last name; null if it is not known. */
  @Text({ max: 200 })
  lastName: string | null;

  /** Whether the traveler is the contact of the party. */
  @Flag()
  isLead: boolean;

  /** State of the traveler. */
  @Text({ max: 20 })
  status: string;
}

/** An entry of the account, with the balance after it. */
export class BookingPageEntry {
  /** Day of the document or posting. */
  @IsoDate()
  on: string;

  /** Kind of the entry. */
  @OneOf(STATEMENT_ENTRIES)
  kind: (typeof STATEMENT_ENTRIES)[number];

  /** Document or payment. */
  @Text({ max: 100 })
  documentId: string;

  /** Number of the document, or reference of the payment; null without one. */
  @Text({ max: 255 })
  text: string | null;

  /** Amount that the customer owes more, in minor units. */
  @Cents()
  debitCents: number;

  /** Amount that the customer owes less, in minor units. */
  @Cents()
  creditCents: number;

  /** What the customer owes after the entry by documents and payments, in minor units; negative for credit. */
  @Cents({ min: LOWEST })
  balanceCents: number;
}

/** A contract that belongs to the booking, without its text. */
export class BookingPageContract {
  /** Reference of the contract (prefix `ctrf`). */
  @Text({ max: 31 })
  reference: string;

  /** Number of the contract; null for a draft. */
  @Text({ max: 100 })
  contractNumber: string | null;

  /** Title of the contract. */
  @Text({ max: 500 })
  title: string;

  /** State of the contract. */
  @Text({ max: 20 })
  status: string;

  /** When it was issued; null for a draft. */
  @Instant()
  issuedAt: string | null;
}

/** A mail about the booking or one of its contracts. */
export class BookingPageMessage {
  /** ID of the message (prefix `nmsg`). */
  @Id('nmsg')
  id: string;

  /** What the mail is about. */
  @Text({ max: 50 })
  kind: string;

  /** Delivery state. */
  @Text({ max: 20 })
  status: string;

  /** Subject line as sent. */
  @Text({ max: 500 })
  subject: string;

  /** When the mail server took it; null if it was not sent. */
  @Instant()
  sentAt: string | null;

  @Instant()
  createdAt: string;
}

/** An open task about the booking. */
export class BookingPageTask {
  /** ID of the task (prefix `task`). */
  @Id('task')
  id: string;

  /** What is to be done. */
  @Text({ max: 255 })
  title: string;

  /** Day by which it is to be done; null if there is none. */
  @IsoDate()
  dueOn: string | null;

  /** User who is to do it (prefix `user`); null for no one in particular. */
  @Id('user')
  assigneeId: string | null;

  /** Name of that user; null for no one in particular. */
  @Text({ max: 255 })
  assigneeName: string | null;

  /** `staff`, or the cause for which the service raised the task. */
  @OneOf(TASK_SOURCES)
  source: TaskSource;

  @Instant()
  createdAt: string;
}

/** A pinned note on the booking. */
export class BookingPageNote {
  /** ID of the note (prefix `note`). */
  @Id('note')
  id: string;

  /** What the note says, as plain text. */
  @Text({ max: 5_000 })
  text: string;

  /** `guide` notes are also for the guides of a departure. */
  @OneOf(NOTE_VISIBILITIES)
  visibility: NoteVisibility;

  /** Name of the author; null for the service itself. */
  @Text({ max: 255 })
  authorName: string | null;

  @Instant()
  createdAt: string;
}

/** A section that was left out. */
export class WithheldSection {
  /** Name of the section. */
  @OneOf(BOOKING_SECTIONS)
  section: BookingSection;
}

/** A booking with what a page about it shows. */
export class BookingPageResponse {
  /** The booking as in the list of bookings. */
  @Nested(() => BookingRow)
  booking: BookingRow;

  /** Items in the order of their services, cancelled ones included. */
  @ListOf(() => BookingPageItem, { max: MAX_ROWS })
  items: BookingPageItem[];

  /** Travelers by position. */
  @ListOf(() => BookingPageTraveler, { max: MAX_ROWS })
  travelers: BookingPageTraveler[];

  /** The account as a ledger: issued documents and payments, oldest first; null without the scope `finance:receivables`. */
  @ListOf(() => BookingPageEntry, { max: MAX_ROWS })
  statement: BookingPageEntry[] | null;

  /** Contracts of the booking, newest first; null without the scope `legal:read`. */
  @ListOf(() => BookingPageContract, { max: MAX_ROWS })
  contracts: BookingPageContract[] | null;

  /** The last 20 mails about the booking and its contracts, newest first; null without the scope `notifications:read`. */
  @ListOf(() => BookingPageMessage, { max: MAX_MESSAGES })
  messages: BookingPageMessage[] | null;

  /** Open tasks about the booking, the first 50 by their day, those without a day last; null without the scope `desk:read`. */
  @ListOf(() => BookingPageTask, { max: MAX_TASKS })
  tasks: BookingPageTask[] | null;

  /** The last 20 pinned notes on the booking, newest first; null without the scope `desk:read`. */
  @ListOf(() => BookingPageNote, { max: MAX_NOTES })
  notes: BookingPageNote[] | null;

  /** Sections that are null because the caller may not read them. */
  @ListOf(() => WithheldSection, { max: BOOKING_SECTIONS.length })
  withheld: WithheldSection[];
}

export class BookingPageEnvelope extends dataOf(BookingPageResponse) {}
