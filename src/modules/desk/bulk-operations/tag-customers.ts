import { Injectable } from '@nestjs/common';
import { invalidField } from '../../../platform/errors/app-error.js';
import { ChangeTags, CustomersService, ListCustomers } from '../../customers/index.js';
import type { BulkList, BulkType } from './bulk-type.js';

/** Adds tags to each customer, and removes others. */
@Injectable()
export class TagCustomersType implements BulkType<ChangeTags> {
  readonly scopes = ['customers:write'];
  readonly params = ChangeTags;
  private readonly list: BulkList<ListCustomers> = {
    scope: 'customers:read',
    query: ListCustomers,
    read: async (query) => {
      const { rows, total } = await this.customers.list(query);
      return { ids: rows.map(({ id }) => id), total };
    },
  };

  constructor(private readonly customers: CustomersService) {}

  listFor(): BulkList {
    return this.list;
  }

  check({ add = [], remove = [] }: ChangeTags): void {
    if (add.length + remove.length > 0) return;
    throw invalidField('params.add', 'add or remove must contain a tag', 'required');
  }

  async run(customerId: string, params: ChangeTags): Promise<void> {
    await this.customers.changeTags(customerId, params);
  }
}
