import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { asSystem } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import { FileStore, type OpenFile } from '../../../platform/files/file-store.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  Reverses,
  type ReversalResult,
} from '../../action-ledger/index.js';
import { readLogoImage } from './logo-image.js';
import { type BankAccountFields, RecordedLogo, UpdateOrganizationProfile } from './organization-profile.dto.js';
import type { BankAccount, DocumentLanguage, IssuerCopy, Logo, ProfileValues } from './issuer-copy.js';
import { OrganizationProfile } from './organization-profile.entity.js';

const ID = 'organization';

/** Manages the profile of the company and its logo. */
@Injectable()
export class OrganizationService {
  private readonly rows: Rows<OrganizationProfile>;

  constructor(
    private readonly database: Database,
    private readonly files: FileStore,
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {
    this.rows = database.rows(OrganizationProfile);
  }

  /** Creates the profile at the first start from the environment, which has no effect afterwards. */
  async seedProfile(): Promise<void> {
    await asSystem(() =>
      this.database.transaction(async () => {
        const { orgName, orgAddress, orgTaxId } = this.env;
        const now = this.clock.now();
        const profile = make(OrganizationProfile, {
          id: ID,
          legalName: orgName,
          address: orgAddress || null,
          taxId: orgTaxId || null,
          bankAccounts: [],
          footerText: {},
          defaultLanguage: 'en',
          createdAt: now,
        });
        if (!(await this.rows.insertUnlessTaken(profile))) return;
        this.ledger.record('organization.profile.create', { ...SUBJECT, before: null, after: profile.auditImage() });
      }),
    );
  }

  async getProfile(): Promise<OrganizationProfile> {
    return this.rows.get(ID);
  }

  /** Returns the name by which customers know the company. */
  async displayName(): Promise<string> {
    return (await this.getProfile()).displayName();
  }

  /** Returns the language of documents and mails for a customer with this language. */
  async languageFor(tag: string | null): Promise<DocumentLanguage> {
    return (await this.getProfile()).languageFor(tag);
  }

  /** Returns the copy of the profile that a document in this currency keeps. */
  async issuerCopy(currency: string): Promise<IssuerCopy> {
    return (await this.getProfile()).issuerCopy(currency);
  }

  async updateProfile(changes: UpdateOrganizationProfile, expected: ExpectedVersions): Promise<OrganizationProfile> {
    const values = valuesOf(changes);
    return this.database.transaction(async () => {
      const profile = await this.rows.lock(ID);
      assertVersion(expected, profile);
      return this.change('organization.profile.update', profile, () => profile.change(values, this.clock.now()));
    });
  }

  /** Stores the file before the transaction; equal files are stored once. */
  async replaceLogo(bytes: Buffer, expected: ExpectedVersions): Promise<OrganizationProfile> {
    const image = await readLogoImage(bytes);
    const { key, sizeBytes } = await this.files.put(bytes);
    return this.saveLogo('organization.logo.replace', { sha256: key, sizeBytes, ...image }, expected);
  }

  /** Keeps the file, because issued documents refer to it. */
  async removeLogo(expected: ExpectedVersions): Promise<OrganizationProfile> {
    return this.saveLogo('organization.logo.remove', null, expected);
  }

  async openLogo(): Promise<{ logo: Logo; file: OpenFile }> {
    const { logo } = await this.getProfile();
    const file = logo && (await this.files.open(logo.sha256));
    if (!logo || !file) throw notFound();
    return { logo, file };
  }

  /** Restores the earlier values. */
  @Reverses('organization.profile.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const restored = valuesOf(await checkedAs(UpdateOrganizationProfile, entry.before));
    return this.reverse(entry, (profile) => profile.change(restored, this.clock.now()));
  }

  /** Restores the earlier logo. */
  @Reverses(['organization.logo.replace', 'organization.logo.remove'])
  async reverseLogo(entry: RecordedAction): Promise<ReversalResult> {
    const { logo = null } = await checkedAs(RecordedLogo, entry.before);
    return this.reverse(entry, (profile) => profile.replaceLogo(logo, this.clock.now()));
  }

  private async saveLogo(action: string, logo: Logo | null, expected: ExpectedVersions): Promise<OrganizationProfile> {
    return this.database.transaction(async () => {
      const profile = await this.rows.lock(ID);
      assertVersion(expected, profile);
      if (logo === null && profile.logo === null) throw notFound();
      return this.change(action, profile, () => profile.replaceLogo(logo, this.clock.now()));
    });
  }

  private async change(action: string, profile: OrganizationProfile, change: () => void): Promise<OrganizationProfile> {
    const before = profile.auditImage();
    change();
    await this.save(profile);
    this.ledger.record(action, { ...SUBJECT, before, after: profile.auditImage() });
    return profile;
  }

  private async reverse(
    entry: RecordedAction,
    change: (profile: OrganizationProfile) => void,
  ): Promise<ReversalResult> {
    const profile = await this.rows.lock(entry.subjectId);
    assertUnchangedSince(entry, profile);
    const before = profile.auditImage();
    change(profile);
    await this.save(profile);
    return { before, after: profile.auditImage() };
  }

  private async save(profile: OrganizationProfile): Promise<void> {
    await this.rows.update(profile);
    const { version } = profile;
    this.outbox.add({ channel: 'organization.profile', event: 'organization_profile.updated', data: { version } });
  }
}

const SUBJECT = { subjectType: 'organization_profile', subjectId: ID };

/** Bank accounts have at most one default and unique IBANs. */
function valuesOf({ bankAccounts, footerText, ...others }: UpdateOrganizationProfile): Partial<ProfileValues> {
  return {
    ...others,
    ...(bankAccounts === undefined ? {} : { bankAccounts: accountsOf(bankAccounts) }),
    ...(footerText === undefined ? {} : { footerText: { ...footerText } }),
  };
}

function accountsOf(accounts: readonly BankAccountFields[]): BankAccount[] {
  const defaults = accounts.filter(({ isDefault }) => isDefault === true);
  if (defaults.length > 1) {
    throw invalidField('bankAccounts', 'bankAccounts must have at most one default account', 'several_defaults');
  }
  if (new Set(accounts.map(({ iban }) => iban)).size < accounts.length) {
    throw invalidField('bankAccounts', 'bankAccounts must not contain duplicates of an IBAN', 'duplicate');
  }
  const defaultAccount = defaults[0] ?? accounts[0];
  return accounts.map((account) => ({
    holder: account.holder,
    iban: account.iban,
    bic: account.bic ?? null,
    currency: account.currency,
    isDefault: account === defaultAccount,
  }));
}
