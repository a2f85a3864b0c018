import { Injectable } from '@nestjs/common';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { ConsentsService } from './customers/consents.service.js';
import { DataExportsService } from './privacy/data-exports.service.js';
import { ErasuresService } from './privacy/erasures.service.js';
import type { CreateCustomer } from './customers/customer.dto.js';
import { CustomersService } from './customers/customers.service.js';

/** The examples read, export and refer to 1, change 2, archive 3, merge 5 into 4, and erase 6. */
const CUSTOMERS: readonly CreateCustomer[] = [
  {
    firstName: 'Maria',
    lastName: 'Ionescu',
    emails: [{ address: 'maria.ionescu@example.com', label: 'private' }],
    phones: [{ number: '0240 555 010', country: 'RO', label: 'mobile' }],
    addresses: [{ line1: 'Strada Republicii 7', city: 'Brasov', postalCode: '500030', country: 'RO' }],
    language: 'ro',
    birthDate: '1984-03-09',
    tags: ['regular'],
  },
  {
    kind: 'company',
    companyName: 'Carpathia Events SRL',
    firstName: 'Andrei',
    lastName: 'Pop',
    emails: [{ address: 'office@carpathia-events.example' }],
    phones: [{ number: '+40 21 555 0120' }],
    addresses: [{ line1: 'Bulevardul Unirii 20', city: 'Bucuresti', postalCode: '030823', country: 'RO' }],
    vatId: 'RO18547290',
  },
  { firstName: 'Erik', lastName: 'Lindqvist', emails: [{ address: 'erik.lindqvist@example.com' }], language: 'sv' },
  {
    firstName: 'Sofia',
    lastName: 'Keller',
    emails: [{ address: 'sofia.keller@example.com' }],
    birthDate: '1990-07-21',
  },
  { firstName: 'Sofia', lastName: 'Keller', phones: [{ number: '+49 89 5550143' }], birthDate: '1990-07-21' },
  { firstName: 'Jonas', lastName: 'Berg', emails: [{ address: 'jonas.berg@example.com' }], language: 'de' },
];

/** The customers that the examples of the API document name. */
@Injectable()
export class CustomersDemo {
  constructor(
    private readonly customers: CustomersService,
    private readonly consents: ConsentsService,
    private readonly erasures: ErasuresService,
    private readonly exports: DataExportsService,
  ) {}

  @DemoData(135, 'customers')
  async load(): Promise<void> {
    for (const [index, customer] of CUSTOMERS.entries()) {
      await this.customers.create(customer, demoId('cus', index + 1));
    }
    const consent = { purpose: 'marketing_email', granted: true, source: 'web form', textVersion: '2026-03' } as const;
    await this.consents.give(demoId('cus', 1), consent, demoId('cons', 1));
    await this.erasures.plan(demoId('cus', 6), 'Request by letter of 3 March', demoId('eras', 1));
    const { id: exportId } = await this.exports.request(demoId('cus', 1), demoId('cexp', 1));
    await this.exports.write({ exportId });
  }
}
