import { dayInWords } from '../../../platform/time/day-in-words.js';
import type { DocumentLanguage, IssuerCopy } from '../../organization/index.js';
import type { Values } from './blocks.js';

/** The company as documents show it. */
export type CompanyCopy = Omit<IssuerCopy, 'bankAccount'> & { emergencyPhone: string | null };

interface Profile {
  emergencyPhone: string | null;
  issuerCopy(currency: string): IssuerCopy;
}

/** Returns the copy of the profile that a document keeps. */
export function companyCopyOf(profile: Profile): CompanyCopy {
  const { bankAccount: _, ...company } = profile.issuerCopy('');
  return { ...company, emergencyPhone: profile.emergencyPhone };
}

/** The placeholders of the company, and the day of the document. */
export function companyValues(
  company: CompanyCopy,
  { language, day }: { language: DocumentLanguage; day: string },
): Values {
  return {
    'company.name': company.tradeName ?? company.legalName,
    'company.legalName': company.legalName,
    'company.address': company.address,
    'company.email': company.email,
    'company.phone': company.phone,
    'company.emergencyPhone': company.emergencyPhone,
    'company.website': company.website,
    'company.registrationNumber': company.registrationNumber,
    'company.licenceNumber': company.licenceNumber,
    'company.vatId': company.vatId,
    'company.insolvencyProtection': company.insolvencyProtection,
    'company.footer': company.footerText[language] ?? null,
    'document.date': dayInWords(day, language),
  };
}
