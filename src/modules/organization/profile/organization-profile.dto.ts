import { patchOf } from '../../../platform/http/dto.js';
import { Clearable, Flag, ListOf, Nested, OneOf, Optional, Text } from '../../../platform/http/fields.js';
import { Bic, CountryCode, CurrencyCode, EmailAddress, Iban, WebAddress } from '../../../platform/http/trade-fields.js';
import { DOCUMENT_LANGUAGES, type DocumentLanguage } from './issuer-copy.js';
import { LogoResponse } from './organization-profile-response.dto.js';

/** A bank account on which the organization receives payments. */
export class BankAccountFields {
  /**
   * Holder of the account.
   * @example "Alpine Tours GmbH"
   */
  @Text({ max: 140 })
  holder: string;

  /**
   * IBAN; spaces are removed.
   * @example "DE89370400440532013000"
   */
  @Iban()
  iban: string;

  /**
   * BIC of the bank; null if it is not needed.
   * @example "COBADEFFXXX"
   */
  @Clearable()
  @Bic()
  bic?: string | null;

  /**
   * Currency of the account. Documents in this currency show it.
   * @example "EUR"
   */
  @CurrencyCode()
  currency: string;

  /**
   * Whether documents in other currencies show this account. At most one account is the default; if none is, the first one
   * becomes it.
   * @example true
   */
  @Optional()
  @Flag()
  isDefault?: boolean;
}

/** Text at the end of documents, by language. */
export class FooterTextFields {
  /**
   * Text at the end of English documents.
   * @example "Thank you for travelling with us."
   */
  @Clearable()
  @Text({ max: 1000, multiline: true })
  en?: string | null;

  /** Text at the end of German documents. */
  @Clearable()
  @Text({ max: 1000, multiline: true })
  de?: string | null;

  /** Text at the end of French documents. */
  @Clearable()
  @Text({ max: 1000, multiline: true })
  fr?: string | null;

  /** Text at the end of Spanish documents. */
  @Clearable()
  @Text({ max: 1000, multiline: true })
  es?: string | null;

  /** Text at the end of Italian documents. */
  @Clearable()
  @Text({ max: 1000, multiline: true })
  it?: string | null;

  /** Text at the end of Romanian documents. */
  @Clearable()
  @Text({ max: 1000, multiline: true })
  ro?: string | null;
}

/** The company as documents show it. */
class OrganizationProfileFields {
  /**
   * Registered name of the company, the seller on documents.
   * @example "Alpine Tours GmbH"
   */
  @Text({ max: 500 })
  legalName: string;

  /**
   * Name under which the company trades; null if it is the legal name.
   * @example "Alpine Tours"
   */
  @Clearable()
  @Text({ max: 255 })
  tradeName?: string | null;

  /**
   * Postal address with line breaks.
   * @example "Seestrasse 1\n6003 Luzern"
   */
  @Clearable()
  @Text({ max: 500, multiline: true })
  address?: string | null;

  /**
   * Country of the company.
   * @example "CH"
   */
  @Clearable()
  @CountryCode()
  country?: string | null;

  /**
   * E-mail address for customers.
   * @example "office@example.com"
   */
  @Clearable()
  @EmailAddress()
  email?: string | null;

  /**
   * Telephone number for customers.
   * @example "+41 41 000 00 00"
   */
  @Clearable()
  @Text({ max: 50 })
  phone?: string | null;

  /**
   * Telephone number for emergencies during a trip.
   * @example "+41 41 000 00 01"
   */
  @Clearable()
  @Text({ max: 50 })
  emergencyPhone?: string | null;

  /**
   * Web address of the company.
   * @example "https://www.example.com"
   */
  @Clearable()
  @WebAddress()
  website?: string | null;

  /**
   * Number in the commercial register.
   * @example "CHE-123.456.789"
   */
  @Clearable()
  @Text({ max: 100 })
  registrationNumber?: string | null;

  /**
   * Number of the licence to sell travel.
   * @example "TL-4711"
   */
  @Clearable()
  @Text({ max: 100 })
  licenceNumber?: string | null;

  /**
   * Tax number.
   * @example "27/123/45678"
   */
  @Clearable()
  @Text({ max: 50 })
  taxId?: string | null;

  /**
   * VAT identification number.
   * @example "DE123456789"
   */
  @Clearable()
  @Text({ max: 50 })
  vatId?: string | null;

  /**
   * Provider of the insolvency protection for customers, with contact.
   * @example "Travel Guarantee Fund, policy 4711"
   */
  @Clearable()
  @Text({ max: 2000, multiline: true })
  insolvencyProtection?: string | null;

  /** Bank accounts; replaces all of them. At most one may be the default, and IBANs must be unique. */
  @Optional()
  @ListOf(() => BankAccountFields, { max: 20 })
  bankAccounts?: BankAccountFields[];

  /** Text at the end of documents, by language; replaces all of them. */
  @Optional()
  @Nested(() => FooterTextFields)
  footerText?: FooterTextFields;

  /**
   * Language of documents whose request names none; `en` by default.
   * @example "en"
   */
  @Optional()
  @OneOf(DOCUMENT_LANGUAGES)
  defaultLanguage?: DocumentLanguage;
}

/** The fields of the profile to change. */
export class UpdateOrganizationProfile extends patchOf(OrganizationProfileFields) {}

/** The logo of an audit entry, which a reversal restores. */
export class RecordedLogo {
  /** The logo; null if there was none. */
  @Clearable()
  @Nested(() => LogoResponse)
  logo?: LogoResponse | null;
}
