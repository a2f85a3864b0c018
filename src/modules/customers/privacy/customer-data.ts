import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { PayloadErasuresService } from '../../action-ledger/index.js';
import { CustomersRepository } from '../customers/customers.repository.js';
import { DataExportsService } from './data-exports.service.js';
import { type HeldData, type Person, PersonalDataHolder } from './personal-data-holder.js';

/** Consents are proofs, which have no end. */
const NO_END = '9999-12-31';

/** The records of customers and their consents. */
@Injectable()
@Listens(PersonalDataHolder, 100)
export class CustomerData implements PersonalDataHolder {
  readonly module = 'customers';

  constructor(
    private readonly database: Database,
    private readonly customers: CustomersRepository,
    private readonly exports: DataExportsService,
    private readonly payloads: PayloadErasuresService,
    private readonly clock: Clock,
  ) {}

  async collect({ customerIds }: Person): Promise<HeldData[]> {
    const customers = await this.database.query<object>(
      `select id, status, kind, first_name as "firstName", last_name as "lastName", company_name as "companyName", emails, phones,
         addresses, language, birth_date as "birthDate", tax_id as "taxId", vat_id as "vatId", notes, tags
       from customers where id = any($1) order by id`,
      [customerIds],
    );
    const consents = await this.database.query<object>(
      `select purpose, granted, source, text_version as "textVersion", given_at as "givenAt", created_at as "createdAt" from customer_consents
       where customer_id = any($1) order by id`,
      [customerIds],
    );
    return [
      { dataClass: 'contact', kind: 'customers', keptUntil: null, records: customers },
      { dataClass: 'proof', kind: 'consents', keptUntil: NO_END, records: consents },
    ];
  }

  async erase({ customerIds }: Person): Promise<number> {
    await this.exports.deleteOf(customerIds);
    const customers = await this.customers.rows.lockAll(customerIds);
    for (const customer of customers) customer.erase(this.clock.now());
    await this.customers.rows.updateAll(customers);
    await this.payloads.eraseAbout('customer', customerIds, 'The data of the customer was erased on request');
    return customers.length;
  }
}
