import { Injectable } from '@nestjs/common';
import { InvoicesService, IssueInvoice, ListInvoices } from '../../finance/index.js';
import type { BulkList, BulkType } from './bulk-type.js';

/** Issues each invoice with the next number of the series. */
@Injectable()
export class IssueInvoicesType implements BulkType<IssueInvoice> {
  readonly scopes = ['finance:write'];
  readonly params = IssueInvoice;
  private readonly list: BulkList<ListInvoices> = {
    scope: 'finance:receivables',
    query: ListInvoices,
    read: async (query) => {
      const { rows, total } = await this.invoices.list(query);
      return { ids: rows.map(({ id }) => id), total };
    },
  };

  constructor(private readonly invoices: InvoicesService) {}

  listFor(): BulkList {
    return this.list;
  }

  async run(invoiceId: string, params: IssueInvoice): Promise<void> {
    await this.invoices.issue(invoiceId, params, null);
  }
}
