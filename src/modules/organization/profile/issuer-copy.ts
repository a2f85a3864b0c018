import { extensible } from '../../../platform/http/named-values.js';

/** The languages of documents for customers. */
export const DOCUMENT_LANGUAGES = extensible('DocumentLanguage', ['en', 'de', 'fr', 'es', 'it', 'ro']);
export type DocumentLanguage = (typeof DOCUMENT_LANGUAGES)[number];

export const LOGO_TYPES = extensible('LogoType', ['image/png', 'image/jpeg']);
export type LogoType = (typeof LOGO_TYPES)[number];

export interface BankAccount {
  holder: string;
  /** Has no spaces and only upper-case letters. */
  iban: string;
  bic: string | null;
  currency: string;
  isDefault: boolean;
}

/** The stored file of a logo. `sha256` is its key in the file store. */
export interface Logo {
  sha256: string;
  type: LogoType;
  sizeBytes: number;
  widthPixels: number;
  heightPixels: number;
}

export type FooterText = Partial<Record<DocumentLanguage, string | null>>;

export interface ProfileValues {
  legalName: string;
  tradeName: string | null;
  address: string | null;
  country: string | null;
  email: string | null;
  phone: string | null;
  emergencyPhone: string | null;
  website: string | null;
  registrationNumber: string | null;
  licenceNumber: string | null;
  taxId: string | null;
  vatId: string | null;
  insolvencyProtection: string | null;
  bankAccounts: BankAccount[];
  footerText: FooterText;
  defaultLanguage: DocumentLanguage;
}

/** The copy of the organization's profile that a document keeps when it is issued. */
export type IssuerCopy = Omit<ProfileValues, 'bankAccounts' | 'defaultLanguage' | 'emergencyPhone'> & {
  bankAccount: Omit<BankAccount, 'isDefault'> | null;
  logo: Logo | null;
};
