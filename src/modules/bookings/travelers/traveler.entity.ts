import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { DELETE, Personal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { CustomerPerson } from '../../customers/index.js';

export const TRAVELER_STATUSES = named('TravelerStatus', ['active', 'cancelled']);
export type TravelerStatus = (typeof TRAVELER_STATUSES)[number];

export const GENDERS = named('Gender', ['F', 'M', 'X']);
export type Gender = (typeof GENDERS)[number];

export const DOCUMENT_TYPES = named('TravelDocumentType', ['passport', 'id_card', 'other']);
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

export const DIETARY_NEEDS = named('DietaryNeed', [
  'vegetarian',
  'vegan',
  'gluten_free',
  'lactose_free',
  'nut_allergy',
  'halal',
  'kosher',
  'other',
]);
export type DietaryNeed = (typeof DIETARY_NEEDS)[number];

/** A passport or identity card; the number is a ciphertext. */
export interface TravelDocument {
  type: DocumentType;
  sealedNumber: string;
  /** The last two characters of the number. */
  ending: string;
  /** ISO 3166-1 alpha-2. */
  issuingCountry: string;
  expiresOn: string | null;
}

export interface EmergencyContact {
  name: string;
  phone: string;
}

/** The evidence of a traveler's consent to the use of health data. */
export interface HealthDataConsent {
  source: string;
  textVersion: string | null;
  givenAt: string;
}

/** Members that are undefined stay as they are. */
export interface TravelerChanges {
  isLead?: boolean | undefined;
  status?: TravelerStatus | undefined;
  customerId?: string | null | undefined;
  firstName?: string | null | undefined;
  lastName?: string | null | undefined;
  birthDate?: string | null | undefined;
  gender?: Gender | null | undefined;
  nationality?: string | null | undefined;
  language?: string | null | undefined;
  phone?: string | null | undefined;
  email?: string | null | undefined;
  emergencyContact?: EmergencyContact | null | undefined;
  document?: TravelDocument | null | undefined;
  dietary?: DietaryNeed[] | undefined;
  /** A ciphertext. */
  healthNote?: string | null | undefined;
  /** A ciphertext. */
  mobilityNote?: string | null | undefined;
  healthDataConsent?: HealthDataConsent | null | undefined;
}

/** Checks whether a traveler has a required member, by member. */
const REQUIRABLE: Readonly<Record<string, (traveler: BookingTraveler) => boolean>> = {
  firstName: ({ firstName }) => firstName !== null,
  lastName: ({ lastName }) => lastName !== null,
  birthDate: ({ birthDate }) => birthDate !== null,
  gender: ({ gender }) => gender !== null,
  nationality: ({ nationality }) => nationality !== null,
  language: ({ language }) => language !== null,
  phone: ({ phone }) => phone !== null,
  email: ({ email }) => email !== null,
  emergencyContact: ({ emergencyContact }) => emergencyContact !== null,
  document: ({ document }) => document !== null,
};

/** Every traveler with a seat needs a name. */
const ALWAYS_REQUIRED = ['lastName'];

/** A person of a booking. Without a name it is a placeholder, which counts on every list. */
@Entity('booking_travelers')
@Rights(DELETE)
export class BookingTraveler extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  /** From 1, in the order of the booking's list. */
  @Column('integer') position: number;
  /** The contact of the group; one traveler of each booking. */
  @Column('boolean', { name: 'is_lead' }) isLead: boolean;
  @Column('text') status: TravelerStatus;
  @Column('text', { name: 'customer_id', nullable: true }) customerId: string | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'first_name', nullable: true })
  firstName: string | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'last_name', nullable: true })
  lastName: string | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('date', { name: 'birth_date', nullable: true })
  birthDate: string | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { nullable: true })
  gender: Gender | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { nullable: true })
  nationality: string | null;
  @Column('text', { nullable: true }) language: string | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { nullable: true })
  phone: string | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { nullable: true })
  email: string | null;
  @Personal('travel')
  @Unaudited('personal data that no reversal restores')
  @Column('jsonb', { name: 'emergency_contact', nullable: true })
  emergencyContact: EmergencyContact | null;
  @Personal('travel')
  @Unaudited('personal data that no reversal restores')
  @Column('jsonb', { nullable: true })
  document: TravelDocument | null;
  @Personal('travel')
  @Unaudited('health data that no reversal restores')
  @Column('text', { array: true })
  dietary: DietaryNeed[];
  @Personal('travel')
  @Unaudited('health data that no reversal restores')
  @Column('text', { name: 'health_note', nullable: true })
  healthNote: string | null;
  @Personal('travel')
  @Unaudited('health data that no reversal restores')
  @Column('text', { name: 'mobility_note', nullable: true })
  mobilityNote: string | null;
  @Personal('travel')
  @Unaudited('evidence about health data')
  @Column('jsonb', { name: 'health_data_consent', nullable: true })
  healthDataConsent: HealthDataConsent | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Throws 409 for a cancelled lead. */
  change(changes: TravelerChanges, now: Date): void {
    for (const [member, value] of Object.entries(changes)) {
      if (value !== undefined) Reflect.set(this, member, value);
    }
    this.updatedAt = now;
    if (!this.isLead || this.status === 'active') return;
    throw conflict('traveler_is_lead', 'The lead of the booking is active: make another traveler the lead first', {
      travelerId: this.id,
    });
  }

  /** Takes over what is empty and what these changes do not name. */
  fill(person: CustomerPerson, changes: TravelerChanges): void {
    for (const [member, value] of Object.entries(person)) {
      if (Reflect.get(this, member) === null && Reflect.get(changes, member) === undefined)
        Reflect.set(this, member, value);
    }
  }

  hasHealthData(): boolean {
    return this.dietary.length > 0 || this.healthNote !== null || this.mobilityNote !== null;
  }

  /** The members that are required of the traveler and still empty. */
  missing(required: readonly string[]): string[] {
    const members = [...new Set([...ALWAYS_REQUIRED, ...required])];
    return this.status === 'cancelled' ? [] : members.filter((member) => REQUIRABLE[member]?.(this) === false);
  }
}
