import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import type { NumberSource } from '../number-series/next-number.sql.js';
import { NumberSeriesService } from '../number-series/number-series.service.js';
import type { IssueInvoice } from './invoice.dto.js';
import type { Invoice, Seller } from './invoice.entity.js';

/** What an invoice is issued with, but for the sequence of its number. */
export interface Terms {
  source: NumberSource;
  dueDate: string;
  seller: Seller;
  at: Date;
  /** The day of the issue where the organization is. */
  today: string;
}

@Injectable()
export class IssueTerms {
  constructor(
    private readonly numbers: NumberSeriesService,
    private readonly env: Env,
    private readonly clock: Clock,
  ) {}

  /** Throws 400, 404 with `field`, 409 `series_inactive`, `series_type_mismatch`, `no_active_series`. */
  async of(invoice: Invoice, wanted: IssueInvoice): Promise<Terms> {
    const today = this.clock.today();
    const { issueDate = today, seriesId = null } = wanted;
    const dueDate = invoice.dueDateFor(issueDate, wanted.dueDate);
    const source = await this.numbers.lockForIssue(invoice.type, seriesId, issueDate);
    const { orgName: name, orgAddress, orgTaxId } = this.env;
    return {
      source,
      dueDate,
      seller: { name, address: orgAddress || null, taxId: orgTaxId || null },
      at: this.clock.now(),
      today,
    };
  }

  /** 409: a document of the series has a later issue date. */
  appErrorOf({ source }: Terms): Promise<Error> {
    return this.numbers.outOfSequence(source);
  }
}
