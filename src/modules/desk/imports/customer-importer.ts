import { Injectable } from '@nestjs/common';
import { checkedAs } from '../../../platform/http/format-check.js';
import { CreateCustomer, CustomersService, emailKey } from '../../customers/index.js';
import { CellError, type RecordImporter } from './import-cells.js';
import type { ImportedRecord, ImportRow, RecordFault } from './import-record.entity.js';

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

  relate(rows: readonly ImportRow[]): void {
    const lines = new Map<string, number>();
    for (const row of rows) {
      const key = row.cells['email'] && emailKey(row.cells['email']);
      if (!key) continue;
      const earlier = lines.get(key);
      if (earlier === undefined) lines.set(key, row.line);
      else row.lineWithEmail = earlier;
    }
  }

  async run([row, second]: readonly [ImportRow, ...ImportRow[]]): Promise<ImportedRecord> {
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
    const { customer, warnings } = await this.customers.create(input);
    return { subjectId: customer.id, warning: warningOf(row, warnings.length > 0) };
  }
}

/** Like the warnings of a new customer; the check also finds duplicates in the file, which are not created yet. */
function warningOf({ lineWithEmail }: ImportRow, isKnown: boolean): RecordFault | null {
  const code = 'possible_duplicate';
  if (lineWithEmail !== undefined) {
    return { code, columnName: 'email', message: `Line ${lineWithEmail} has the same e-mail address` };
  }
  const message = 'A customer has the same contact, or the same name and date of birth';
  return isKnown ? { code, columnName: null, message } : null;
}

function pick({ cells }: ImportRow, columns: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.flatMap((name) => (cells[name] === undefined ? [] : [[name, cells[name]]])));
}
