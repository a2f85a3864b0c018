import { OmitType } from '@nestjs/swagger';
import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import {
  Clearable,
  Flag,
  Id,
  Ignored,
  ListOf,
  Nested,
  OneOf,
  Optional,
  Text,
  Texts,
  Version,
} from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CountryCode, EmailAddress, Instant, IsoDate, LANGUAGE_TAG } from '../../../platform/http/trade-fields.js';
import { LONGEST_NUMBER } from './contacts.js';
import { MOVED_RECORDS, type MovedRecordType } from './customer-listener.js';
import {
  type Customer,
  CUSTOMER_KINDS,
  CUSTOMER_STATUSES,
  type CustomerKind,
  type CustomerStatus,
  MAX_TAGS,
} from './customer.entity.js';

/** An e-mail address of a customer. */
export class CustomerEmailBody {
  /**
   * Address of the mailbox.
   * @example "maria.ionescu@example.com"
   */
  @EmailAddress()
  address: string;

  /**
   * What the address is for.
   * @example "private"
   */
  @Clearable()
  @Text({ max: 50, emptyIsNull: true })
  label?: string | null;

  /** Whether mails go to this address; without a primary address they go to the first one. At most one is primary. */
  @Optional()
  @Flag()
  isPrimary?: boolean;
}

/** A telephone number of a customer. */
export class CustomerPhoneBody {
  /**
   * International number that starts with `+`, or a national number. It is stored in the form of ITU-T E.164.
   * @example "+40 240 555 010"
   */
  @Text({ max: 50 })
  number: string;

  /**
   * Country of a national number; by default the country of the first address. Without both a national number is rejected
   * with the issue `phone_country_unknown`.
   * @example "RO"
   */
  @Clearable()
  @CountryCode()
  country?: string | null;

  /**
   * What the number is for.
   * @example "mobile"
   */
  @Clearable()
  @Text({ max: 50, emptyIsNull: true })
  label?: string | null;

  /** Whether this number is called first; without a primary number it is the first one. At most one is primary. */
  @Optional()
  @Flag()
  isPrimary?: boolean;
}

/** A postal address of a customer. */
export class CustomerAddressBody {
  /**
   * What the address is for.
   * @example "home"
   */
  @Clearable()
  @Text({ max: 50, emptyIsNull: true })
  label?: string | null;

  /**
   * Street and number.
   * @example "Strada Republicii 7"
   */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  line1?: string | null;

  /** Building, floor or similar. */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  line2?: string | null;

  /**
   * City or town name.
   * @example "Brasov"
   */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  city?: string | null;

  /** State, county or province. */
  @Clearable()
  @Text({ max: 255, emptyIsNull: true })
  region?: string | null;

  /**
   * Postal or ZIP code.
   * @example "500030"
   */
  @Clearable()
  @Text({ max: 20, emptyIsNull: true })
  postalCode?: string | null;

  /**
   * ISO 3166-1 alpha-2 country code.
   * @example "RO"
   */
  @Clearable()
  @CountryCode()
  country?: string | null;
}

/** A person or a company that buys. */
export class CreateCustomer {
  @Ignored()
  id?: undefined;

  /**
   * `person` by default, which needs `lastName`; a `company` needs `companyName`.
   * @example "person"
   */
  @Optional()
  @OneOf(CUSTOMER_KINDS)
  kind?: CustomerKind;

  /**
   * First names of the person, or of the contact at the company.
   * @example "Maria"
   */
  @Clearable()
  @Text({ max: 100, emptyIsNull: true })
  firstName?: string | null;

  /**
   * Last name of the person, or of the contact at the company.
   * @example "Ionescu"
   */
  @Clearable()
  @Text({ max: 100, emptyIsNull: true })
  lastName?: string | null;

  /**
   * Name of the company; for a person, the company that they work for.
   * @example "Carpathia Events SRL"
   */
  @Clearable()
  @Text({ max: 200, emptyIsNull: true })
  companyName?: string | null;

  /** E-mail addresses without duplicates. Several customers may have the same one. A change replaces all of them. */
  @Optional()
  @ListOf(() => CustomerEmailBody, { max: 10 })
  emails?: CustomerEmailBody[];

  /** Telephone numbers without duplicates. A change replaces all of them. */
  @Optional()
  @ListOf(() => CustomerPhoneBody, { max: 10 })
  phones?: CustomerPhoneBody[];

  /** Postal addresses; documents show the first. A change replaces all of them. */
  @Optional()
  @ListOf(() => CustomerAddressBody, { max: 5 })
  addresses?: CustomerAddressBody[];

  /**
   * Language of documents and messages; null means the language of the company.
   * @example "ro"
   */
  @Clearable()
  @Text({ max: 6, pattern: LANGUAGE_TAG })
  language?: string | null;

  /**
   * Day on which the person was born; not in the future.
   * @example "1984-03-09"
   */
  @Clearable()
  @IsoDate()
  birthDate?: string | null;

  /**
   * Tax number.
   * @example "1840309080017"
   */
  @Clearable()
  @Text({ max: 50, emptyIsNull: true })
  taxId?: string | null;

  /**
   * VAT identification number.
   * @example "RO18547290"
   */
  @Clearable()
  @Text({ max: 50, emptyIsNull: true })
  vatId?: string | null;

  /**
   * Internal notes of staff. An empty string means null.
   * @example "Prefers morning departures"
   */
  @Clearable()
  @Text({ max: 5000, multiline: true, emptyIsNull: true })
  notes?: string | null;

  /**
   * Free keywords without duplicates.
   * @example ["regular"]
   */
  @Optional()
  @Texts({ max: MAX_TAGS, maxLength: 100, unique: true })
  tags?: string[];
}

/** The fields of a customer to change; null clears a field. A list replaces the whole list. */
export class UpdateCustomer extends patchOf(OmitType(CreateCustomer, ['id'] as const)) {}

/** Tags that customers get or lose; at least one list is not empty. */
export class ChangeTags {
  /**
   * Tags that customers get; those that they have stay.
   * @example ["season-2027"]
   */
  @Optional()
  @Texts({ max: MAX_TAGS, maxLength: 100, unique: true })
  add?: string[];

  /** Tags that customers lose, if they have them. */
  @Optional()
  @Texts({ max: MAX_TAGS, maxLength: 100, unique: true })
  remove?: string[];
}

export class ListCustomers extends PageQuery {
  /**
   * Only customers whose names, e-mail addresses or telephone numbers contain each of these words (up to eight), in any order,
   * ignoring case, accents, apostrophes and hyphens. A query of digits finds numbers that are stored with another spelling.
   */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Only customers with this e-mail address, ignoring case. */
  @Optional()
  @EmailAddress()
  email?: string;

  /** Only customers with this telephone number, with its country code; blanks and punctuation are ignored. */
  @Optional()
  @Text({ max: 50 })
  phone?: string;

  /** Only customers with this keyword. */
  @Optional()
  @Text({ max: 100 })
  tag?: string;

  /** Only customers with this language. */
  @Optional()
  @Text({ max: 6 })
  language?: string;

  /** Only persons, or only companies. */
  @Optional()
  @AnyOf(CUSTOMER_KINDS)
  kind?: CustomerKind[];

  /** Only customers in one of these statuses; `active` by default. */
  @Optional()
  @AnyOf(CUSTOMER_STATUSES)
  status?: CustomerStatus[];

  /** Sort field, `name` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['name', 'createdAt', 'updatedAt'])
  sort?: string;
}

/** An e-mail address of a customer. */
export class CustomerEmailResponse {
  /** Address of the mailbox. */
  @EmailAddress()
  address: string;

  /** What the address is for; null if unknown. */
  @Text({ max: 50 })
  label: string | null;

  /** Whether mails go to this address. */
  @Flag()
  isPrimary: boolean;
}

/** A telephone number of a customer. */
export class CustomerPhoneResponse {
  /** Number in the form of ITU-T E.164, such as `+40240555010`. */
  @Text({ max: LONGEST_NUMBER })
  number: string;

  /** What the number is for; null if unknown. */
  @Text({ max: 50 })
  label: string | null;

  /** Whether this number is called first. */
  @Flag()
  isPrimary: boolean;
}

/** A postal address of a customer. */
export class CustomerAddressResponse {
  /** What the address is for; null if unknown. */
  @Text({ max: 50 })
  label: string | null;

  /** Street and number; null if unknown. */
  @Text({ max: 255 })
  line1: string | null;

  /** Building, floor or similar; null if there is none. */
  @Text({ max: 255 })
  line2: string | null;

  /** City or town name; null if unknown. */
  @Text({ max: 255 })
  city: string | null;

  /** State, county or province; null if unknown. */
  @Text({ max: 255 })
  region: string | null;

  /** Postal or ZIP code; null if unknown. */
  @Text({ max: 20 })
  postalCode: string | null;

  /** ISO 3166-1 alpha-2 country code; null if unknown. */
  @CountryCode()
  country: string | null;
}

/** A person or a company that buys. */
export class CustomerResponse {
  @Id('cus')
  id: string;

  /** Whether the customer is a person or a company. */
  @OneOf(CUSTOMER_KINDS)
  kind: CustomerKind;

  /** Only `active` customers can be changed and buy. */
  @OneOf(CUSTOMER_STATUSES)
  status: CustomerStatus;

  /** First and last name of a person, or the name of the company. */
  @Text({ max: 201 })
  displayName: string;

  /** First names of the person, or of the contact at the company; null if unknown. */
  @Text({ max: 100 })
  firstName: string | null;

  /** Last name of the person, or of the contact at the company; null if unknown. */
  @Text({ max: 100 })
  lastName: string | null;

  /** Name of the company; null if unknown. */
  @Text({ max: 200 })
  companyName: string | null;

  /** E-mail addresses; one of them is primary. */
  @ListOf(() => CustomerEmailResponse, { max: 10 })
  emails: CustomerEmailResponse[];

  /** Telephone numbers; one of them is primary. */
  @ListOf(() => CustomerPhoneResponse, { max: 10 })
  phones: CustomerPhoneResponse[];

  /** Postal addresses; documents show the first. */
  @ListOf(() => CustomerAddressResponse, { max: 5 })
  addresses: CustomerAddressResponse[];

  /** Language of documents and messages; null means the language of the company. */
  @Text({ max: 6 })
  language: string | null;

  /** Date of birth; null if unknown. */
  @IsoDate()
  birthDate: string | null;

  /** Tax number; null if unknown. */
  @Text({ max: 50 })
  taxId: string | null;

  /** VAT identification number; null if unknown. */
  @Text({ max: 50 })
  vatId: string | null;

  /** Internal notes of staff; null if there are none. */
  @Text({ max: 5000 })
  notes: string | null;

  /** Free keywords; empty if there are none. */
  @Texts({ max: MAX_TAGS, maxLength: 100, unique: true })
  tags: string[];

  /** The customer that replaces this one (prefix `cus`); null unless the status is `merged`. */
  @Id('cus')
  mergedIntoId: string | null;

  /** When the customer was archived; null unless the status is `archived`. */
  @Instant()
  archivedAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toCustomer(customer: Customer): CustomerResponse {
  return respond(CustomerResponse, customer);
}

/** Something about a stored customer that staff should check. */
export class CustomerWarning {
  /** `possible_duplicate`: another customer has the same e-mail address, telephone number, or name and date of birth. */
  @Text({ max: 50 })
  code: string;

  /** The other customer (prefix `cus`). */
  @Id('cus')
  customerId: string;
}

export class CustomerEnvelope extends dataOf(CustomerResponse) {}
export class CustomerPage extends pageOf(CustomerResponse) {}

/** A stored customer, with other customers who may be the same. */
export class CustomerChangeEnvelope extends dataOf(CustomerResponse) {
  /** At most ten customers who may be the same; usually empty. */
  @ListOf(() => CustomerWarning, { max: 10 })
  warnings: CustomerWarning[];
}

/** For each field, the customer whose value the merged customer keeps. */
export class MergedFieldsBody {
  /** Whose kind. */
  @Optional()
  @Id('cus')
  kind?: string;

  /** Whose first names. */
  @Optional()
  @Id('cus')
  firstName?: string;

  /** Whose last name. */
  @Optional()
  @Id('cus')
  lastName?: string;

  /** Whose company name. */
  @Optional()
  @Id('cus')
  companyName?: string;

  /** Whose language. */
  @Optional()
  @Id('cus')
  language?: string;

  /** Whose date of birth. */
  @Optional()
  @Id('cus')
  birthDate?: string;

  /** Whose tax number. */
  @Optional()
  @Id('cus')
  taxId?: string;

  /** Whose VAT identification number. */
  @Optional()
  @Id('cus')
  vatId?: string;

  /** Whose notes. */
  @Optional()
  @Id('cus')
  notes?: string;
}

/** The duplicates of a customer. */
export class MergeCustomers {
  /**
   * Customers (prefix `cus`) that are the same as this one.
   * @example ["cus_01k0dem000e000000000000005"]
   */
  @Texts({ min: 1, max: 10, maxLength: 100, unique: true })
  duplicateIds: string[];

  /** Whose values are kept; otherwise the customer keeps its own values, and empty ones are filled in the order of the IDs. */
  @Optional()
  @Nested(() => MergedFieldsBody)
  fields?: MergedFieldsBody;
}

/** Two customers who may be the same. */
export class DuplicatePair {
  /** The customer that was created first (prefix `cus`). */
  @Id('cus')
  customerId: string;

  /** Its name. */
  @Text({ max: 201 })
  displayName: string;

  /** The other customer (prefix `cus`). */
  @Id('cus')
  duplicateId: string;

  /** Its name. */
  @Text({ max: 201 })
  duplicateName: string;

  /** What both have in common. */
  @Texts({ min: 1, max: 2, maxLength: 30 })
  reasons: string[];
}

export class ListDuplicates extends PageQuery {
  /**
   * Sort field of the customer that was created first; a leading `-` means descending order, `createdAt` by default.
   */
  @Optional()
  @SortBy(['createdAt', 'name'])
  sort?: string;
}
export class DuplicatePage extends pageOf(DuplicatePair) {}

class RecordedDuplicate {
  @Id('cus')
  id: string;

  @Version()
  version: number;
}

class RecordedEarlierDuplicate {
  @Id('cus')
  id: string;

  @Id('cus')
  mergedIntoId: string;
}

class RecordedMove {
  @OneOf(MOVED_RECORDS)
  type: MovedRecordType;

  @Text({ max: 100 })
  id: string;

  @Id('cus')
  customerId: string;
}

/** What the entry of a merge adds to the snapshot of the customer. */
export class RecordedMerge {
  @ListOf(() => RecordedDuplicate, { max: 10 })
  duplicates: RecordedDuplicate[];

  /** Customers that had been merged into one of the duplicates before, with that duplicate. */
  @ListOf(() => RecordedEarlierDuplicate, { max: Number.MAX_SAFE_INTEGER })
  earlier: RecordedEarlierDuplicate[];

  @ListOf(() => RecordedMove, { max: Number.MAX_SAFE_INTEGER })
  records: RecordedMove[];
}
