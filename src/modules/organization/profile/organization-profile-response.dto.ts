import { dataOf } from '../../../platform/http/dto.js';
import { Flag, ListOf, Nested, OneOf, Text, Version, Whole } from '../../../platform/http/fields.js';
import { respond } from '../../../platform/http/respond.js';
import { CountryCode, CurrencyCode, EmailAddress, Instant, WebAddress } from '../../../platform/http/trade-fields.js';
import { DOCUMENT_LANGUAGES, type DocumentLanguage, type Logo, LOGO_TYPES, type LogoType } from './issuer-copy.js';
import type { OrganizationProfile } from './organization-profile.entity.js';

/** The logo that documents show. Its bytes are at `GET /v1/admin/organization/logo`. */
export class LogoResponse {
  /** SHA-256 of the file, hexadecimal. */
  @Text({ max: 64, pattern: /^[0-9a-f]{64}$/ })
  sha256: string;

  /** Media type, detected from the content of the file. */
  @OneOf(LOGO_TYPES)
  type: LogoType;

  /** Size of the file in bytes. */
  @Whole({ min: 1, max: 524_288 })
  sizeBytes: number;

  /** Width of the image in pixels. */
  @Whole({ min: 1, max: 4_096 })
  widthPixels: number;

  /** Height of the image in pixels. */
  @Whole({ min: 1, max: 4_096 })
  heightPixels: number;
}

/** A bank account on which the organization receives payments. */
export class BankAccountResponse {
  /** Holder of the account. */
  @Text({ max: 140 })
  holder: string;

  /** IBAN without spaces. */
  @Text({ max: 34 })
  iban: string;

  /** BIC of the bank; null if it is not needed. */
  @Text({ max: 11 })
  bic: string | null;

  /** Currency of the account. */
  @CurrencyCode()
  currency: string;

  /** Whether documents in other currencies show this account. */
  @Flag()
  isDefault: boolean;
}

/** Text at the end of documents, by language; null if there is none. */
export class FooterTextResponse {
  /** Text at the end of English documents. */
  @Text({ max: 1000 })
  en: string | null;

  /** Text at the end of German documents. */
  @Text({ max: 1000 })
  de: string | null;

  /** Text at the end of French documents. */
  @Text({ max: 1000 })
  fr: string | null;

  /** Text at the end of Spanish documents. */
  @Text({ max: 1000 })
  es: string | null;

  /** Text at the end of Italian documents. */
  @Text({ max: 1000 })
  it: string | null;

  /** Text at the end of Romanian documents. */
  @Text({ max: 1000 })
  ro: string | null;
}

/** The company as documents show it. Issued documents keep a copy. */
export class OrganizationProfileResponse {
  /** Registered name of the company, the seller on documents. */
  @Text({ max: 500 })
  legalName: string;

  /** Name under which the company trades; null if it is the legal name. */
  @Text({ max: 255 })
  tradeName: string | null;

  /** Postal address with line breaks; null if unknown. */
  @Text({ max: 500 })
  address: string | null;

  /** Country of the company; null if unknown. */
  @CountryCode()
  country: string | null;

  /** E-mail address for customers; null if unknown. */
  @EmailAddress()
  email: string | null;

  /** Telephone number for customers; null if unknown. */
  @Text({ max: 50 })
  phone: string | null;

  /** Telephone number for emergencies during a trip; null if unknown. */
  @Text({ max: 50 })
  emergencyPhone: string | null;

  /** Web address of the company; null if unknown. */
  @WebAddress()
  website: string | null;

  /** Number in the commercial register; null if unknown. */
  @Text({ max: 100 })
  registrationNumber: string | null;

  /** Number of the licence to sell travel; null if unknown. */
  @Text({ max: 100 })
  licenceNumber: string | null;

  /** Tax number; null if unknown. */
  @Text({ max: 50 })
  taxId: string | null;

  /** VAT identification number; null if unknown. */
  @Text({ max: 50 })
  vatId: string | null;

  /** Provider of the insolvency protection for customers, with contact; null if unknown. */
  @Text({ max: 2000 })
  insolvencyProtection: string | null;

  /** Bank accounts; one of them is the default, unless there are none. */
  @ListOf(() => BankAccountResponse, { max: 20 })
  bankAccounts: BankAccountResponse[];

  /** Text at the end of documents, by language. */
  @Nested(() => FooterTextResponse)
  footerText: FooterTextResponse;

  /** Language of documents whose request names none. */
  @OneOf(DOCUMENT_LANGUAGES)
  defaultLanguage: DocumentLanguage;

  /** The logo that documents show; null if there is none. */
  @Nested(() => LogoResponse)
  logo: LogoResponse | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toOrganizationProfile(profile: OrganizationProfile): OrganizationProfileResponse {
  const { footerText } = profile;
  return respond(OrganizationProfileResponse, profile, {
    bankAccounts: profile.bankAccounts.map((account) => ({
      holder: account.holder,
      iban: account.iban,
      bic: account.bic,
      currency: account.currency,
      isDefault: account.isDefault,
    })),
    footerText: {
      en: footerText.en ?? null,
      de: footerText.de ?? null,
      fr: footerText.fr ?? null,
      es: footerText.es ?? null,
      it: footerText.it ?? null,
      ro: footerText.ro ?? null,
    },
    logo: profile.logo && toLogo(profile.logo),
  });
}

function toLogo(logo: Logo): LogoResponse {
  return respond(LogoResponse, logo);
}

export class OrganizationProfileEnvelope extends dataOf(OrganizationProfileResponse) {}
