import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { AppError } from '../../../platform/errors/app-error.js';
import {
  bookingIdsOf,
  type ErasureBlocker,
  type HeldData,
  latestOf,
  type Person,
  PersonalDataHolder,
  type PersonBooking,
  SealedValues,
} from '../../customers/index.js';
import { AnswersRepository } from '../answers/answers.repository.js';
import { TravelersRepository } from '../travelers/travelers.repository.js';

/** The last service of `booking`, or its creation if it has none. */
const LAST_SERVICE = `coalesce(
  greatest(booking.return_date, booking.end_date, booking.departure_date), booking.start_date, booking.created_at::date)`;

/**
 * Travelers who are the person: by customer, or without one by the name together with the e-mail address or with the customer's own
 * booking. Couples share addresses, so an address alone is not the person. The
 * parameters $1 to $4 are those of `travelerKeysOf`.
 */
export const TRAVELERS_OF_PERSON = `
  select traveler.id from booking_travelers traveler where traveler.customer_id = any($1)
  union select traveler.id from booking_travelers traveler
    where traveler.customer_id is null and (traveler.booking_id = any($3) or lower(traveler.email) = any($2))
      and fold(concat_ws(' ', traveler.first_name, traveler.last_name)) in (select fold(name) from unnest($4::text[]) as name)`;

/** Consents of travelers who are the person, and those of deleted travelers that belong to it. The parameters are the same. */
const CONSENTS = `
  select booking_id as "bookingId", granted, source, text_version as "textVersion", given_at as "givenAt", created_at as "createdAt"
  from traveler_consents proof
  where traveler_id = any(array(${TRAVELERS_OF_PERSON}))
    or customer_id = any($1) and not exists (select from booking_travelers traveler where traveler.id = proof.traveler_id)
  order by created_at, id`;

/** Proofs are kept as long as they are needed. */
const NO_END = '9999-12-31';

/** Whether the service of a traveler may lie ahead. */
const IS_LIVE = `booking.status in ('draft', 'confirmed', 'in_progress')`;

const TRAVELERS = `
  select traveler.id, traveler.booking_id as "bookingId", traveler.first_name as "firstName", traveler.last_name as "lastName",
    traveler.birth_date as "birthDate", traveler.gender, traveler.nationality, traveler.language, traveler.phone, traveler.email,
    traveler.emergency_contact as "emergencyContact", traveler.document, traveler.dietary, traveler.health_note as "healthNote",
    traveler.mobility_note as "mobilityNote", traveler.health_data_consent as "healthDataConsent", ${IS_LIVE} as "isLive",
    (${LAST_SERVICE} + make_interval(months => $5))::date::text as "contractEnd",
    (${LAST_SERVICE} + $6::int)::text as "travelEnd"
  from booking_travelers traveler join bookings booking on booking.id = traveler.booking_id
  where traveler.id in (${TRAVELERS_OF_PERSON}) order by traveler.id`;

const ANSWERS = `
  select answer.id, answer.booking_id as "bookingId", asked.content ->> 'label' as label, answer.values, answer.sealed,
    answer.created_at as "createdAt", ${IS_LIVE} as "isLive", (${LAST_SERVICE} + $5::int)::text as "travelEnd"
  from booking_answers answer
  join bookings booking on booking.id = answer.booking_id
  join product_question_versions asked on asked.question_id = answer.question_id and asked.version = answer.question_version
  where answer.traveler_id in (${TRAVELERS_OF_PERSON})
    or answer.traveler_id is null and answer.booking_id = any($3)
  order by answer.id`;

interface AnswerRow {
  id: string;
  bookingId: string;
  label: string;
  values: string[] | null;
  sealed: string | null;
  createdAt: Date;
  isLive: boolean;
  travelEnd: string;
}

interface TravelerRow extends TravelData {
  id: string;
  bookingId: string;
  firstName: string | null;
  lastName: string | null;
  birthDate: string | null;
  gender: string | null;
  nationality: string | null;
  language: string | null;
  phone: string | null;
  email: string | null;
  isLive: boolean;
  contractEnd: string;
  travelEnd: string;
}

interface TravelData {
  emergencyContact: object | null;
  document: { type: string; sealedNumber: string; issuingCountry: string; expiresOn: string | null } | null;
  dietary: string[];
  healthNote: string | null;
  mobilityNote: string | null;
  healthDataConsent: object | null;
}

/** Bookings and travelers of a person. */
@Injectable()
@Listens(PersonalDataHolder, 10)
export class BookingData implements PersonalDataHolder {
  readonly module = 'bookings';

  constructor(
    private readonly database: Database,
    private readonly travelers: TravelersRepository,
    private readonly answers: AnswersRepository,
    private readonly sealed: SealedValues,
    private readonly env: Env,
  ) {}

  async bookingsOf(customerIds: readonly string[]): Promise<PersonBooking[]> {
    return this.database.query<PersonBooking>(
      `select booking.id, (${LAST_SERVICE} + make_interval(months => $2))::date::text as "keptUntil" from bookings booking
       where booking.customer_id = any($1) order by booking.id`,
      [customerIds, this.env.contractRetentionMonths],
    );
  }

  /** A confirmed booking is completed by itself after its last service; a draft could still be confirmed. */
  async blockersOf(person: Person): Promise<ErasureBlocker[]> {
    const [found] = await this.database.query(
      `select from bookings where id = any($1) and status in ('draft', 'confirmed', 'in_progress') limit 1`,
      [bookingIdsOf(person)],
    );
    return found ? ['future_service'] : [];
  }

  async collect(person: Person, { opensSealed }: { opensSealed: boolean }): Promise<HeldData[]> {
    const bookings = await this.database.query<object>(
      `select number, status, customer_name as "customerName", customer_email as "customerEmail",
         customer_phone as "customerPhone", customer_language as "customerLanguage", customer_address as "customerAddress",
         departure_date as "departureDate", return_date as "returnDate", currency, total_cents::float8 as "totalCents", notes,
         cancel_reason as "cancelReason", created_at as "createdAt"
       from bookings where id = any($1) order by id`,
      [bookingIdsOf(person)],
    );
    const items = await this.database.query<object>(
      `select booking_id as "bookingId", title, quantity, status, cancel_reason as "cancelReason", pickup_note as "pickupNote"
       from booking_items
       where booking_id = any($1) order by id`,
      [bookingIdsOf(person)],
    );
    const vouchers = await this.database.query<object>(
      `select booking_id as "bookingId", status, redeemed_at as "redeemedAt", void_reason as "voidReason",
         created_at as "issuedAt"
       from vouchers where booking_id = any($1) order by id`,
      [bookingIdsOf(person)],
    );
    const answers = await this.answersOf(person);
    const travelers = await this.travelersOf(person);
    const names = travelers.map(
      ({ bookingId, firstName, lastName, birthDate, gender, nationality, language, phone, email }) => {
        return { bookingId, firstName, lastName, birthDate, gender, nationality, language, phone, email };
      },
    );
    const ahead = travelers.filter(({ isLive }) => isLive);
    const past = travelers.filter(({ isLive }) => !isLive);
    const travelData = async (rows: readonly TravelerRow[]) => {
      const found = rows.filter(hasTravelData);
      return opensSealed ? Promise.all(found.map((row) => this.opened(row))) : found;
    };
    const consents = await this.database.query<object>(CONSENTS, travelerKeysOf(person));
    const keptUntil = latestOf(person.bookings.map((booking) => booking.keptUntil));
    return [
      { dataClass: 'contract', kind: 'bookings', keptUntil, records: bookings },
      { dataClass: 'contract', kind: 'items', keptUntil, records: items },
      { dataClass: 'contract', kind: 'vouchers', keptUntil, records: vouchers },
      {
        dataClass: 'contract',
        kind: 'travelers',
        keptUntil: latestOf(travelers.map(({ contractEnd }) => contractEnd)),
        records: names,
      },
      { dataClass: 'proof', kind: 'consents of travelers', keptUntil: NO_END, records: consents },
      {
        dataClass: 'travel',
        kind: 'travelers with a service ahead',
        keptUntil: latestOf(ahead.map(({ travelEnd }) => travelEnd)),
        records: await travelData(ahead),
      },
      { dataClass: 'travel', kind: 'travelers after their service', keptUntil: null, records: await travelData(past) },
      {
        dataClass: 'travel',
        kind: 'answers with a service ahead',
        keptUntil: latestOf(answers.filter(({ isLive }) => isLive).map(({ travelEnd }) => travelEnd)),
        records: await this.answerRecords(
          answers.filter(({ isLive }) => isLive),
          opensSealed,
        ),
      },
      {
        ...{ dataClass: 'travel', kind: 'answers after their service', keptUntil: null },
        records: await this.answerRecords(
          answers.filter(({ isLive }) => !isLive),
          opensSealed,
        ),
      },
    ];
  }

  async erase(person: Person): Promise<number> {
    const past = (await this.travelersOf(person)).filter((row) => !row.isLive && hasTravelData(row));
    await this.travelers.eraseTravelDataOf(past.map(({ id }) => id));
    const answers = (await this.answersOf(person)).filter(({ isLive }) => !isLive);
    await this.answers.delete(answers.map(({ id }) => id));
    return past.length + answers.length;
  }

  private async travelersOf(person: Person): Promise<TravelerRow[]> {
    const { contractRetentionMonths, travelRetentionDays } = this.env;
    return this.database.query<TravelerRow>(TRAVELERS, [
      ...travelerKeysOf(person),
      ...[contractRetentionMonths, travelRetentionDays],
    ]);
  }

  private async answersOf(person: Person): Promise<AnswerRow[]> {
    return this.database.query<AnswerRow>(ANSWERS, [...travelerKeysOf(person), this.env.travelRetentionDays]);
  }

  private async answerRecords(rows: readonly AnswerRow[], opensSealed: boolean): Promise<object[]> {
    const records: object[] = [];
    for (const { id, bookingId, label, values, sealed, createdAt } of rows) {
      const opened = sealed !== null && opensSealed ? await this.open(id, 'values', sealed) : null;
      records.push({
        bookingId,
        question: label,
        values: opened === null ? values : (JSON.parse(opened) as unknown),
        createdAt,
      });
    }
    return records;
  }

  private async opened(row: TravelerRow): Promise<object> {
    const { id, bookingId, emergencyContact, document, dietary, healthNote, mobilityNote, healthDataConsent } = row;
    return {
      ...{ bookingId, emergencyContact, dietary, healthDataConsent },
      document: document && {
        type: document.type,
        number: await this.open(id, 'document', document.sealedNumber),
        ...{ issuingCountry: document.issuingCountry, expiresOn: document.expiresOn },
      },
      healthNote: await this.open(id, 'healthNote', healthNote),
      mobilityNote: await this.open(id, 'mobilityNote', mobilityNote),
    };
  }

  /** A value whose key was destroyed is lost, which must not prevent the export of the others. */
  private async open(subject: string, field: string, ciphertext: string | null): Promise<string | null> {
    if (ciphertext === null) return null;
    try {
      return await this.sealed.open({ subject, field }, ciphertext);
    } catch (error) {
      if (error instanceof AppError && error.code === 'sealed_value_unreadable') return null;
      throw error;
    }
  }
}

export function travelerKeysOf(person: Person): unknown[] {
  const { customerIds, emails, names } = person;
  return [customerIds, emails, bookingIdsOf(person), names];
}

function hasTravelData({ emergencyContact, document, dietary, healthNote, mobilityNote }: TravelerRow): boolean {
  const values = [emergencyContact, document, healthNote, mobilityNote];
  return dietary.length > 0 || values.some((value) => value !== null);
}
