import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { IssuerCopy } from '../../../organization/index.js';

/** Reads the copies of the organization's profile that issued documents keep: seller, bank account, logo, texts. */
@Injectable()
export class IssuerCopiesRepository {
  constructor(private readonly database: Database) {}

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
