import { Injectable } from '@nestjs/common';
import { checkedAs } from '../../../platform/http/format-check.js';
import { CreateCustomer, CustomersService } from '../../customers/index.js';
import { CellError, type RecordImporter } from './import-cells.js';
import type { ImportRow } from './import-record.entity.js';

const NAMES = ['kind', 'firstName', 'lastName', 'companyName', 'language', 'birthDate', 'taxId', 'vatId', 'notes'];
const ADDRESS = ['line1', 'line2', 'city', 'region', 'postalCode', 'country'];

/** Imports customers, one for each line. */
@Injectable()
export class CustomerImporter implements RecordImporter {
  readonly kind = 'customers';
  readonly columns = { required: [], optional: [...NAMES, 'email', 'phone', ...ADDRESS] };
  readonly scopes = [];
  readonly columnOf = { address: 'email', number: 'phone', emails: 'email', phones: 'phone' };

  constructor(private readonly customers: CustomersService) {}

  async run([row, second]: readonly [ImportRow, ...ImportRow[]]): Promise<string> {
    if (second)
      throw new CellError(second, 'reference', 'reference_repeated', `line ${row.line} has the same reference`);
    const { email, phone, country } = row.cells;
    const address = pick(row, ADDRESS);
    const input = await checkedAs(CreateCustomer, {
      ...pick(row, NAMES),
      ...(email === undefined ? {} : { emails: [{ address: email, isPrimary: true }] }),
      ...(phone === undefined ? {} : { phones: [{ number: phone, country, isPrimary: true }] }),
      ...(Object.keys(address).length === 0 ? {} : { addresses: [address] }),
    });
    return (await this.customers.create(input)).customer.id;
  }
}

function pick({ cells }: ImportRow, columns: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.flatMap((name) => (cells[name] === undefined ? [] : [[name, cells[name]]])));
}
