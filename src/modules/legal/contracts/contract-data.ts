import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { bookingIdsOf, type HeldData, latestOf, type Person, PersonalDataHolder } from '../../customers/index.js';

interface ContractRow {
  bookingId: string | null;
  /** For a contract without a booking. */
  ownEnd: string;
}

/** Contracts of a person: those of its bookings, and those without a booking that were sent to it. They are kept as proof. */
@Injectable()
@Listens(PersonalDataHolder, 40)
export class ContractData implements PersonalDataHolder {
  readonly module = 'legal';

  constructor(
    private readonly database: Database,
    private readonly env: Env,
  ) {}

  async collect(person: Person): Promise<HeldData[]> {
    const records = await this.database.query<ContractRow>(
      `select id, booking_id as "bookingId", title, body, status, recipient_name as "recipientName",
         recipient_email as "recipientEmail", signed_at as "signedAt", signer_name as "signerName",
         signer_address as "signerAddress", signer_agent as "signerAgent", metadata, created_at as "createdAt",
         (greatest(updated_at, expires_at)::date + make_interval(months => $3))::date::text as "ownEnd"
       from contracts where erased_at is null and (booking_id = any($1) or booking_id is null and lower(recipient_email) = any($2)
           and (recipient_name is null or fold(recipient_name) in (select fold(name) from unnest($4::text[]) as name)))
       order by id`,
      [bookingIdsOf(person), person.emails, this.env.contractRetentionMonths, person.names],
    );
    const ends = new Map(person.bookings.map((booking) => [booking.id, booking.keptUntil]));
    const days = records.map(
      ({ bookingId, ownEnd }) => (bookingId === null ? undefined : ends.get(bookingId)) ?? ownEnd,
    );
    return [{ dataClass: 'contract', kind: 'contracts', keptUntil: latestOf(days), records }];
  }

  /** Nothing: they are erased with their booking, or when their own period ends. */
  async erase(): Promise<number> {
    return 0;
  }
}
