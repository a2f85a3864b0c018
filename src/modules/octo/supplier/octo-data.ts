import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { bookingIdsOf, type HeldData, latestOf, type Person, PersonalDataHolder } from '../../customers/index.js';
import { contactOf } from './octo-booking.dto.js';

/** Contacts of reservations that never became a sale are erased after this time. */
const UNSOLD_DAYS = 30;
const DAY_MS = 86_400_000;
const BATCH = 500;

const NOBODY = JSON.stringify(contactOf(null));

const OF_PERSON = `(octo.booking_id = any($1) or lower(octo.contact ->> 'emailAddress') = any($2) or exists (
  select from octo_unit_items unit where unit.octo_booking_id = octo.id
    and lower(unit.contact ->> 'emailAddress') = any($2)))`;

interface HeldRow {
  id: string;
  bookingId: string | null;
}

/** Contacts in the reservations of resellers: those of the person's bookings, and those with its address. */
@Injectable()
@Listens(PersonalDataHolder, 70)
export class OctoData implements PersonalDataHolder {
  readonly module = 'octo';

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async collect(person: Person): Promise<HeldData[]> {
    const records = await this.database.query<HeldRow>(
      `select octo.id, octo.booking_id as "bookingId", octo.status, octo.contact, octo.notes,
         octo.cancel_reason as "cancelReason", octo.created_at as "createdAt",
         (select jsonb_agg(unit.contact order by unit.position) from octo_unit_items unit
          where unit.octo_booking_id = octo.id) as "unitContacts"
       from octo_bookings octo where ${OF_PERSON} order by octo.id`,
      [bookingIdsOf(person), person.emails],
    );
    const keptUntil = latestOf(person.bookings.map((booking) => booking.keptUntil));
    const [sold, others] = [records.filter((one) => one.bookingId), records.filter((one) => !one.bookingId)];
    return [
      { dataClass: 'contract', kind: 'bookings of resellers', keptUntil, records: sold },
      { dataClass: 'contact', kind: 'reservations of resellers', keptUntil: null, records: others },
    ];
  }

  /** The bookings themselves keep what the law wants. */
  async erase(person: Person): Promise<number> {
    return this.blank(OF_PERSON, [bookingIdsOf(person), person.emails]);
  }

  /** Erases the contacts of old reservations that were never confirmed, in batches. */
  async eraseUnsold(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - UNSOLD_DAYS * DAY_MS);
    const condition = `octo.id in (
      select id from octo_bookings where confirmed_at is null and created_at < $1 and contact <> $2::jsonb limit ${BATCH})`;
    while ((await this.blank(condition, [before, NOBODY])) === BATCH);
  }

  private async blank(condition: string, values: unknown[]): Promise<number> {
    return this.database.transaction(async () => {
      const rows = await this.database.query<{ id: string }>(
        `select octo.id from octo_bookings octo where ${condition} order by octo.id for update`,
        values,
      );
      const ids = rows.map(({ id }) => id);
      await this.database.execute(
        `update octo_bookings set contact = $2, notes = null, cancel_reason = null, version = version + 1 where id = any($1)`,
        [ids, NOBODY],
      );
      await this.database.execute('update octo_unit_items set contact = $2 where octo_booking_id = any($1)', [
        ids,
        NOBODY,
      ]);
      return ids.length;
    });
  }
}
