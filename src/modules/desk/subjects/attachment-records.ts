import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import type { RecordSubject } from '../../../platform/database/record-subject.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { bookingSubject, TRAVELERS_OF_PERSON, travelerKeysOf, travelerSubject } from '../../bookings/index.js';
import { bookingIdsOf, customerSubject, type Person } from '../../customers/index.js';
import { type AttachmentSubject, AttachmentSubjects, type AttachmentSubjectType } from '../../documents/index.js';
import { invoiceSubject, supplierInvoiceSubject } from '../../finance/index.js';
import { contractSubject } from '../../legal/index.js';
import { departureSubject, resourceSubject } from '../../operations/index.js';
import { organizationSubject } from '../../organization/index.js';
import { productSubject } from '../../products/index.js';
import { tripSubject } from '../../trips/index.js';
import { SubjectsRepository } from './subjects.repository.js';

const RECORDS: { readonly [Type in AttachmentSubjectType]: RecordSubject<Type> } = {
  customer: customerSubject,
  booking: bookingSubject,
  traveler: travelerSubject,
  trip: tripSubject,
  departure: departureSubject,
  invoice: invoiceSubject,
  supplier_invoice: supplierInvoiceSubject,
  contract: contractSubject,
  resource: resourceSubject,
  product: productSubject,
  organization: organizationSubject,
};

/**
 * SQL: whether the personal data of a record has ended. Files of travelers, mostly copies of their documents, end with the travel data
 * of the booking. $1 is today, $2 `TRAVEL_RETENTION_DAYS`.
 */
const ENDED = {
  booking: 'record.erased_at is not null',
  trip: 'record.erased_at is not null',
  contract: 'record.erased_at is not null',
  traveler: `exists (
    select from bookings booking
    where booking.id = record.booking_id and (booking.erased_at is not null
      or coalesce(
        greatest(booking.return_date, booking.end_date), booking.departure_date,
        case when booking.status in ('completed', 'cancelled') then booking.updated_at::date end
      ) < $1::date - $2::int))`,
} as const;

/** SQL: records with attachments that no longer exist, or whose personal data has ended. */
const ENDED_RECORDS = (['booking', 'trip', 'contract', 'traveler'] as const)
  .map(
    (type) => `select distinct subject_type as "subjectType", subject_id as "subjectId" from attachments
      where subject_type = '${type}' and not exists (
        select from ${RECORDS[type].table} record where record.id = subject_id and not (${ENDED[type]}))`,
  )
  .join(' union all ');

/** The records of all modules to which files are attached. */
@Injectable()
@Listens(AttachmentSubjects, 10)
export class AttachmentRecords implements AttachmentSubjects {
  constructor(
    private readonly database: Database,
    private readonly subjects: SubjectsRepository,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  subjectOf(type: AttachmentSubjectType): RecordSubject<string> {
    return RECORDS[type];
  }

  async lock({ subjectType, subjectId }: AttachmentSubject): Promise<void> {
    await this.subjects.lockRecord(RECORDS[subjectType], subjectId);
  }

  /**
   * Travelers who are the person, trips, invoices and contracts of the person's bookings, and other trips and contracts of the person.
   */
  async recordsOf(person: Person): Promise<AttachmentSubject[]> {
    const travelers = await this.database.query<AttachmentSubject>(
      `select 'traveler' as "subjectType", id as "subjectId" from (${TRAVELERS_OF_PERSON}) as traveler order by id`,
      travelerKeysOf(person),
    );
    const others = await this.database.query<AttachmentSubject>(
      `select 'trip' as "subjectType", id as "subjectId" from trip_envelopes
         where booking_id = any($1) or booking_id is null and lower(traveler_party -> 'billing' ->> 'email') = any($2)
       union all select 'invoice', id from invoices where booking_id = any($1)
       union all select 'contract', id from contracts
         where booking_id = any($1) or booking_id is null and lower(recipient_email) = any($2)
           and (recipient_name is null or fold(recipient_name) in (select fold(name) from unnest($3::text[]) as name))`,
      [bookingIdsOf(person), person.emails, person.names],
    );
    return [...travelers, ...others];
  }

  async listEnded(limit: number): Promise<AttachmentSubject[]> {
    return this.database.query(`${ENDED_RECORDS} limit $3`, [this.clock.today(), this.env.travelRetentionDays, limit]);
  }
}
