import { Injectable } from '@nestjs/common';
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

/** The records of all modules to which files are attached. */
@Injectable()
@Listens(AttachmentSubjects, 10)
export class AttachmentRecords implements AttachmentSubjects {
  constructor(
    private readonly database: Database,
    private readonly subjects: SubjectsRepository,
  ) {}

  subjectOf(type: AttachmentSubjectType): RecordSubject<string> {
    return RECORDS[type];
  }

  async lock({ subjectType, subjectId }: AttachmentSubject): Promise<void> {
    await this.subjects.lockRecord(RECORDS[subjectType], subjectId);
  }

  /** Travelers who are the person, and trips, invoices and contracts of the person's bookings. */
  async recordsOf(person: Person): Promise<AttachmentSubject[]> {
    const travelers = await this.database.query<AttachmentSubject>(
      `select 'traveler' as "subjectType", id as "subjectId" from (${TRAVELERS_OF_PERSON}) as traveler order by id`,
      travelerKeysOf(person),
    );
    const others = await this.database.query<AttachmentSubject>(
      `select 'trip' as "subjectType", id as "subjectId" from trip_envelopes where booking_id = any($1)
       union all select 'invoice', id from invoices where booking_id = any($1)
       union all select 'contract', id from contracts where booking_id = any($1)`,
      [bookingIdsOf(person)],
    );
    return [...travelers, ...others];
  }
}
