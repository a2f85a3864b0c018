import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { PayloadErasuresService } from '../../action-ledger/index.js';
import { BookingsService } from '../../bookings/index.js';
import { bookingIdsOf, type HeldData, latestOf, type Person, PersonalDataHolder } from '../../customers/index.js';
import { contactOf } from './octo-booking.dto.js';

/** Contacts of reservations that never became a sale are erased after this time. */
const UNSOLD_DAYS = 30;
const DAY_MS = 86_400_000;
const BATCH = 500;

/** A contact without any member. */
const NO_CONTACT = JSON.stringify(contactOf(null));

const OF_PERSON = `(octo.booking_id = any($1) or lower(octo.contact ->> 'emailAddress') = any($2) or exists (
  select from octo_unit_items unit where unit.octo_booking_id = octo.id
    and lower(unit.contact ->> 'emailAddress') = any($2)))`;

const CONTACT_OF_PERSON = `(lower(octo.contact ->> 'emailAddress') = any($2)
  or octo.booking_id = any($1) and coalesce(octo.contact ->> 'emailAddress', '') = '')`;

/** In a booking of the person, a contact without an address is the person's if it has the name. */
const UNIT_OF_PERSON = `(lower(unit.contact ->> 'emailAddress') = any($2)
  or octo.booking_id = any($1) and coalesce(unit.contact ->> 'emailAddress', '') = '' and lower(coalesce(
    nullif(unit.contact ->> 'fullName', ''), concat_ws(' ', unit.contact ->> 'firstName', unit.contact ->> 'lastName')
  )) = any($4))`;

/** What is erased after a time: contacts, free texts, and references, which can contain names. */
const HAS_PERSONAL_DATA = `(octo.contact <> $1::jsonb
  or num_nonnulls(octo.notes, octo.cancel_reason, octo.reseller_reference) > 0
  or exists (select from octo_unit_items unit where unit.octo_booking_id = octo.id
    and (unit.contact <> $1::jsonb or unit.reseller_reference is not null)))`;

interface HeldRow {
  id: string;
  bookingId: string | null;
}

/** Finds a person's contacts in OCTO reservations, by booking and by e-mail address. */
@Injectable()
@Listens(PersonalDataHolder, 70)
export class OctoData implements PersonalDataHolder {
  readonly module = 'octo';

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly env: Env,
    private readonly bookings: BookingsService,
    private readonly payloads: PayloadErasuresService,
  ) {}

  async collect(person: Person): Promise<HeldData[]> {
    const records = await this.database.query<HeldRow>(
      `select octo.id, octo.booking_id as "bookingId", octo.status, octo.contact, octo.notes,
         octo.cancel_reason as "cancelReason", octo.reseller_reference as "resellerReference", octo.created_at as "createdAt",
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

  /** Contacts of other people stay. The bookings themselves keep what the law wants. */
  async erase(person: Person): Promise<number> {
    const [bookingIds, { emails }] = [bookingIdsOf(person), person];
    const names = person.names.map((name) => name.toLowerCase());
    return this.database.transaction(async () => {
      const rows = await this.database.query<{ id: string }>(
        `select octo.id from octo_bookings octo where ${OF_PERSON} order by octo.id for update`,
        [bookingIds, emails],
      );
      const ids = rows.map(({ id }) => id);
      // The units first: they are the person's by the booking, too.
      await this.database.execute(
        `update octo_unit_items unit set contact = $3::jsonb, reseller_reference = null
         from octo_bookings octo where octo.id = unit.octo_booking_id and octo.id = any($5) and ${UNIT_OF_PERSON}`,
        [bookingIds, emails, NO_CONTACT, names, ids],
      );
      await this.database.execute(
        `update octo_bookings octo set notes = null, cancel_reason = null, reseller_reference = null, version = version + 1,
           contact = case when ${CONTACT_OF_PERSON} then $3::jsonb else contact end
         where id = any($4) and (booking_id = any($1) or ${CONTACT_OF_PERSON})`,
        [bookingIds, emails, NO_CONTACT, ids],
      );
      await this.payloads.eraseAbout('octo_booking', ids, 'The data of the customer was erased on request');
      return ids.length;
    });
  }

  /** Erases old reservations that never became a booking, and those whose booking was erased, with one transaction per batch. */
  async erasePast(): Promise<void> {
    while ((await this.database.transaction(() => this.eraseUnsold())) === BATCH);
    let after: string | null = '';
    while (after !== null) after = await this.eraseSold(after);
  }

  private async eraseUnsold(): Promise<number> {
    const before = new Date(this.clock.now().getTime() - UNSOLD_DAYS * DAY_MS);
    const rows = await this.database.query<{ id: string }>(
      `select octo.id from octo_bookings octo
       where octo.booking_id is null and octo.created_at < $2 and ${HAS_PERSONAL_DATA}
       order by octo.id limit $3 for update`,
      [NO_CONTACT, before, BATCH],
    );
    await this.blank(rows.map(({ id }) => id));
    return rows.length;
  }

  /** Returns the last id that was checked; null after the last batch. */
  private async eraseSold(after: string): Promise<string | null> {
    return this.database.transaction(async () => {
      const rows = await this.database.query<{ id: string; bookingId: string }>(
        `select octo.id, octo.booking_id as "bookingId" from octo_bookings octo
         where octo.booking_id is not null and octo.id > $2
           and octo.created_at < $3::date - make_interval(months => $4) and ${HAS_PERSONAL_DATA}
         order by octo.id limit $5 for update`,
        [NO_CONTACT, after, this.clock.today(), this.env.contractRetentionMonths, BATCH],
      );
      const erased = new Set(await this.bookings.erasedAmong(rows.map(({ bookingId }) => bookingId)));
      await this.blank(rows.filter(({ bookingId }) => erased.has(bookingId)).map(({ id }) => id));
      return rows.length === BATCH ? (rows.at(-1)?.id ?? null) : null;
    });
  }

  /** Erases the personal data of these locked reservations, and of the audit entries about them. */
  private async blank(ids: readonly string[]): Promise<void> {
    await this.database.execute(
      `update octo_bookings set contact = $2::jsonb, notes = null, cancel_reason = null, reseller_reference = null,
         version = version + 1
       where id = any($1)`,
      [ids, NO_CONTACT],
    );
    await this.database.execute(
      `update octo_unit_items set contact = $2::jsonb, reseller_reference = null where octo_booking_id = any($1)`,
      [ids, NO_CONTACT],
    );
    await this.payloads.eraseAbout('octo_booking', ids);
  }
}
