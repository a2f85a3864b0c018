import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { type IssuerCopy, OrganizationService } from '../../../organization/index.js';
import type { Seller } from '../account/invoice.entity.js';

/** Stores the copies of the organization's profile that issued documents keep: seller, bank account, logo, texts. */
@Injectable()
export class IssuerCopiesRepository {
  constructor(
    private readonly database: Database,
    private readonly organization: OrganizationService,
  ) {}

  /**
   * Stores a copy for a document that gets its number in this transaction. Returns the members of the copy that the document
   * itself has.
   */
  async store(document: { id: string; currency: string }): Promise<Seller> {
    const issuer = await this.organization.issuerCopy(document.currency);
    await this.database.write({
      name: 'issuer-copy-store',
      text: 'insert into invoice_issuers (invoice_id, issuer) values ($1, $2)',
      values: [document.id, issuer],
    });
    return { name: issuer.legalName, address: issuer.address, taxId: issuer.vatId ?? issuer.taxId };
  }

  /** Returns null for documents issued before copies were kept. */
  async find(invoiceId: string): Promise<IssuerCopy | null> {
    const [row] = await this.database.prepared<{ issuer: IssuerCopy }>(
      'issuer-copy-find',
      'select issuer from invoice_issuers where invoice_id = $1',
      [invoiceId],
    );
    return row?.issuer ?? null;
  }
}
