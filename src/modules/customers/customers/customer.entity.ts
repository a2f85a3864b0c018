import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { Personal } from '../../../platform/database/table-declarations.js';
import { Derived } from '../../../platform/database/unaudited.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { CustomerCopy, CustomerPerson } from './customer-copy.js';
import {
  type CustomerAddress,
  type CustomerEmail,
  type CustomerPhone,
  emailKey,
  searchableNumber,
} from './contacts.js';

export const CUSTOMER_KINDS = named('CustomerKind', ['person', 'company']);
export type CustomerKind = (typeof CUSTOMER_KINDS)[number];

export const CUSTOMER_STATUSES = named('CustomerStatus', ['active', 'archived', 'merged', 'erased']);
export type CustomerStatus = (typeof CUSTOMER_STATUSES)[number];

export const MAX_TAGS = 50;

export interface CustomerChanges {
  kind?: CustomerKind;
  firstName?: string | null;
  lastName?: string | null;
  companyName?: string | null;
  emails?: CustomerEmail[];
  phones?: CustomerPhone[];
  addresses?: CustomerAddress[];
  language?: string | null;
  birthDate?: string | null;
  taxId?: string | null;
  vatId?: string | null;
  notes?: string | null;
  tags?: string[];
}

/** A person or a company that buys. Other records keep copies of its name and contacts. */
@Entity('customers')
export class Customer extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text') kind: CustomerKind;
  @Column('text') status: CustomerStatus;
  @Personal('contact')
  @Column('text', { name: 'first_name', nullable: true })
  firstName: string | null;
  @Personal('contact')
  @Column('text', { name: 'last_name', nullable: true })
  lastName: string | null;
  @Personal('contact')
  @Column('text', { name: 'company_name', nullable: true })
  companyName: string | null;
  @Personal('contact')
  @Derived('the names, by `kind`')
  @Column('text', { name: 'display_name' })
  displayName: string;
  @Personal('contact')
  @Column('jsonb')
  emails: CustomerEmail[];
  @Personal('contact')
  @Column('jsonb')
  phones: CustomerPhone[];
  @Personal('contact')
  @Column('jsonb')
  addresses: CustomerAddress[];
  @Column('text', { nullable: true }) language: string | null;
  @Personal('contact')
  @Column('date', { name: 'birth_date', nullable: true })
  birthDate: string | null;
  @Personal('contact')
  @Column('text', { name: 'tax_id', nullable: true })
  taxId: string | null;
  @Personal('contact')
  @Column('text', { name: 'vat_id', nullable: true })
  vatId: string | null;
  @Personal('contact')
  @Column('text', { nullable: true })
  notes: string | null;
  @Personal('contact')
  @Column('text', { array: true })
  tags: string[];
  /** E-mail addresses in lower case and telephone numbers, by which the same customer is recognized. */
  @Personal('contact')
  @Derived('`emails`, `phones`')
  @Column('text', { name: 'contact_keys', array: true })
  contactKeys: string[];
  /** What a search compares with; the database folds it. */
  @Personal('contact')
  @Derived('the names, `emails`, `phones`')
  @Column('text', { name: 'search_terms' })
  searchTerms: string;
  /** The customer that replaces this one, which was a duplicate. */
  @Column('text', { name: 'merged_into_id', nullable: true }) mergedIntoId: string | null;
  @Column('timestamptz', { name: 'archived_at', nullable: true }) archivedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: CustomerChanges, now: Date): void {
    this.assertLive();
    Object.assign(this, changes, { updatedAt: now });
    this.derive();
  }

  archive(now: Date): void {
    this.assertLive();
    Object.assign(this, { status: 'archived', archivedAt: now, updatedAt: now });
  }

  restore(now: Date): void {
    Object.assign(this, { status: 'active', archivedAt: null, mergedIntoId: null, updatedAt: now });
  }

  /** From now on the customer cannot be changed or sold to; `erase` follows when the other modules have erased its data. */
  startErasure(now: Date): void {
    Object.assign(this, { status: 'erased', archivedAt: null, updatedAt: now });
  }

  erase(now: Date): void {
    const none = { firstName: null, lastName: null, companyName: null, language: null, birthDate: null };
    const unknown = { taxId: null, vatId: null, notes: null, mergedIntoId: null };
    const empty = { emails: [], phones: [], addresses: [], tags: [], contactKeys: [], searchTerms: '' };
    this.startErasure(now);
    Object.assign(this, { ...none, ...unknown, ...empty, displayName: 'Erased person' });
  }

  mergeInto(survivorId: string, now: Date): void {
    this.assertLive();
    this.followMerge(survivorId, now);
  }

  /** Also for a duplicate whose survivor is merged in turn, so that `mergedIntoId` always names a customer that is live. */
  followMerge(survivorId: string, now: Date): void {
    Object.assign(this, { status: 'merged', mergedIntoId: survivorId, updatedAt: now });
  }

  /** Throws 409 for a customer that staff can only read. */
  assertLive(field?: string): void {
    const details = { customerId: this.id, ...(field !== undefined && { field }) };
    if (this.status === 'merged') {
      const { mergedIntoId } = this;
      throw conflict('customer_merged', 'The customer was merged into another one', { mergedIntoId, ...details });
    }
    if (this.status === 'archived') throw conflict('customer_archived', 'The customer is archived', details);
    if (this.status === 'erased') throw conflict('customer_erased', 'The data of the customer was erased', details);
  }

  /** Computes what follows from the names and contacts. Throws 400 without the name that the kind needs. */
  derive(): void {
    const [field, name] =
      this.kind === 'person' ? (['lastName', this.lastName] as const) : (['companyName', this.companyName] as const);
    if (name === null) throw invalidField(field, `${field} is required for a ${this.kind}`, 'missing_for_kind');
    const person = [this.firstName, this.lastName].filter((part) => part !== null).join(' ');
    this.displayName = this.kind === 'person' ? person : name;
    const addresses = this.emails.map(({ address }) => emailKey(address));
    const numbers = this.phones.map(({ number }) => number);
    this.contactKeys = [...addresses, ...numbers];
    const names = this.kind === 'person' ? [person, this.companyName] : [this.companyName, person];
    this.searchTerms = [...names, ...addresses, ...numbers.map(searchableNumber)].filter((term) => !!term).join(' ');
  }

  /** Null members are omitted: they fill nothing. */
  person(): CustomerPerson {
    const { firstName, lastName, birthDate } = this;
    const { language, email, phone } = this.copy();
    const known = Object.entries({ firstName, lastName, birthDate, language, email, phone });
    return Object.fromEntries(known.filter(([, value]) => value !== null));
  }

  copy(): CustomerCopy {
    return {
      id: this.id,
      name: this.displayName,
      email: this.emails.find(({ isPrimary }) => isPrimary)?.address ?? null,
      phone: this.phones.find(({ isPrimary }) => isPrimary)?.number ?? null,
      language: this.language,
      address: this.addresses[0] ? addressText(this.addresses[0]) : null,
    };
  }
}

function addressText({ line1, line2, city, region, postalCode, country }: CustomerAddress): string {
  const place = [postalCode, city].filter((part) => part !== null).join(' ');
  return [line1, line2, place, region, country].filter((line) => line !== null && line !== '').join('\n');
}
