import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal, Personal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import {
  type BankAccount,
  DOCUMENT_LANGUAGES,
  type DocumentLanguage,
  type FooterText,
  type IssuerCopy,
  type Logo,
  type ProfileValues,
} from './issuer-copy.js';

/** The company as documents show it. The only row of its table, which the first start inserts. */
@Entity('organization_profile')
export class OrganizationProfile extends Audited implements ProfileValues {
  @PrimaryColumn('text') id: string;
  @Impersonal()
  @Column('text', { name: 'legal_name' })
  legalName: string;
  @Impersonal()
  @Column('text', { name: 'trade_name', nullable: true })
  tradeName: string | null;
  @Personal('company')
  @Column('text', { nullable: true })
  address: string | null;
  @Column('text', { nullable: true }) country: string | null;
  @Personal('company')
  @Column('text', { nullable: true })
  email: string | null;
  @Personal('company')
  @Column('text', { nullable: true })
  phone: string | null;
  @Personal('company')
  @Column('text', { name: 'emergency_phone', nullable: true })
  emergencyPhone: string | null;
  @Impersonal()
  @Column('text', { nullable: true })
  website: string | null;
  @Column('text', { name: 'registration_number', nullable: true }) registrationNumber: string | null;
  @Column('text', { name: 'licence_number', nullable: true }) licenceNumber: string | null;
  @Column('text', { name: 'tax_id', nullable: true }) taxId: string | null;
  @Column('text', { name: 'vat_id', nullable: true }) vatId: string | null;
  @Impersonal()
  @Column('text', { name: 'insolvency_protection', nullable: true })
  insolvencyProtection: string | null;
  @Personal('company')
  @Column('jsonb', { name: 'bank_accounts' })
  bankAccounts: BankAccount[];
  @Impersonal()
  @Column('jsonb', { name: 'footer_text' })
  footerText: FooterText;
  @Column('text', { name: 'default_language' }) defaultLanguage: DocumentLanguage;
  @Impersonal()
  @Column('jsonb', { nullable: true })
  logo: Logo | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: Partial<ProfileValues>, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
  }

  replaceLogo(logo: Logo | null, now: Date): void {
    Object.assign(this, { logo, updatedAt: now });
  }

  /** Selects the account in this currency, otherwise the default account. */
  issuerCopy(currency: string): IssuerCopy {
    const inCurrency = this.bankAccounts.filter((account) => account.currency === currency);
    const account =
      inCurrency.find(({ isDefault }) => isDefault) ??
      inCurrency[0] ??
      this.bankAccounts.find(({ isDefault }) => isDefault) ??
      null;
    return {
      legalName: this.legalName,
      tradeName: this.tradeName,
      address: this.address,
      country: this.country,
      email: this.email,
      phone: this.phone,
      website: this.website,
      registrationNumber: this.registrationNumber,
      licenceNumber: this.licenceNumber,
      taxId: this.taxId,
      vatId: this.vatId,
      insolvencyProtection: this.insolvencyProtection,
      footerText: this.footerText,
      bankAccount: account && {
        holder: account.holder,
        iban: account.iban,
        bic: account.bic,
        currency: account.currency,
      },
      logo: this.logo,
    };
  }

  /** Returns the name by which customers know the company. */
  displayName(): string {
    return this.tradeName ?? this.legalName;
  }

  /** Returns the language of a tag such as `de-AT` if documents exist in it, otherwise that of the company. */
  languageFor(tag: string | null): DocumentLanguage {
    const [primary] = (tag ?? '').toLowerCase().split(/[-_]/);
    return DOCUMENT_LANGUAGES.find((language) => language === primary) ?? this.defaultLanguage;
  }
}
