import { Injectable } from '@nestjs/common';
import { hasScope } from '../../../platform/auth/access.js';
import { Database } from '../../../platform/database/database.js';
import { BookingsService, toBookingRow } from '../../bookings/index.js';
import {
  BOOKING_SECTIONS,
  type BookingPageContract,
  type BookingPageEntry,
  type BookingPageItem,
  type BookingPageMessage,
  type BookingPageNote,
  type BookingPageResponse,
  type BookingPageTask,
  type BookingPageTraveler,
} from './booking-page.dto.js';
import { CONTRACTS, ITEMS_AND_TRAVELERS, MESSAGES, STATEMENT, TASKS_AND_NOTES } from './booking-page.sql.js';

/** Members that are instants in the row of a statement. */
type Stored<Row, Instants extends keyof Row> = Omit<Row, Instants> & Record<Instants, Date | null>;

/** Everything that a page about one booking shows. */
@Injectable()
export class BookingPagesService {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
  ) {}

  /** Reads one snapshot in at most six statements. Sections without their scope are null. */
  async get(id: string): Promise<BookingPageResponse> {
    return this.database.snapshot(async () => {
      const showsAmounts = hasScope('finance:receivables');
      const booking = toBookingRow(await this.bookings.getListed(id), showsAmounts);
      const rows = <Row>(statement: string) => this.database.query<Row>(statement, [id]);
      const [content] = await rows<{ items: BookingPageItem[]; travelers: BookingPageTraveler[] }>(ITEMS_AND_TRAVELERS);
      const { items = [], travelers = [] } = content ?? {};
      const sections = {
        statement: showsAmounts ? await rows<BookingPageEntry>(STATEMENT) : null,
        contracts: hasScope('legal:read')
          ? (await rows<Stored<BookingPageContract, 'issuedAt'>>(CONTRACTS)).map(({ issuedAt, ...contract }) => {
              return { ...contract, issuedAt: issuedAt?.toISOString() ?? null };
            })
          : null,
        messages: hasScope('notifications:read')
          ? (await rows<Stored<BookingPageMessage, 'sentAt'> & { createdAt: Date }>(MESSAGES)).map(
              ({ sentAt, createdAt, ...message }) => {
                return { ...message, sentAt: sentAt?.toISOString() ?? null, createdAt: createdAt.toISOString() };
              },
            )
          : null,
        ...(await this.tasksAndNotes(id)),
      };
      const withheld = BOOKING_SECTIONS.filter((section) => sections[section] === null).map((section) => ({ section }));
      return { booking, items, travelers, ...sections, withheld };
    });
  }

  private async tasksAndNotes(id: string): Promise<Pick<BookingPageResponse, 'tasks' | 'notes'>> {
    if (!hasScope('desk:read')) return { tasks: null, notes: null };
    const [found] = await this.database.query<{ tasks: BookingPageTask[]; notes: BookingPageNote[] }>(TASKS_AND_NOTES, [
      id,
    ]);
    return { tasks: (found?.tasks ?? []).map(withInstant), notes: (found?.notes ?? []).map(withInstant) };
  }
}

/** JSON of the database writes instants in a form of its own. */
function withInstant<Row extends { createdAt: string }>(row: Row): Row {
  return { ...row, createdAt: new Date(row.createdAt).toISOString() };
}
