import { Injectable } from '@nestjs/common';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import type { CreateTaxCode } from './tax-codes/tax-code.dto.js';
import { TaxCodesService } from './tax-codes/tax-codes.service.js';

const TAX_CODES: readonly CreateTaxCode[] = [
  {
    code: 'DE-19',
    name: 'Germany, standard rate',
    country: 'DE',
    kind: 'standard',
    rates: [
      { rateBasisPoints: 1_900, validFrom: '2007-01-01', validTo: '2020-06-30' },
      { rateBasisPoints: 1_600, validFrom: '2020-07-01', validTo: '2020-12-31' },
      { rateBasisPoints: 1_900, validFrom: '2021-01-01' },
    ],
  },
  {
    code: 'DE-7',
    name: 'Germany, reduced rate',
    country: 'DE',
    kind: 'reduced',
    rates: [
      { rateBasisPoints: 700, validFrom: '1983-07-01', validTo: '2020-06-30' },
      { rateBasisPoints: 500, validFrom: '2020-07-01', validTo: '2020-12-31' },
      { rateBasisPoints: 700, validFrom: '2021-01-01' },
    ],
  },
  {
    code: 'DE-EXEMPT',
    name: 'Germany, exempt',
    country: 'DE',
    kind: 'exempt',
    mention: 'Exempt from VAT',
    rates: [{ rateBasisPoints: 0, validFrom: '2000-01-01' }],
  },
  {
    code: 'DE-RC',
    name: 'Germany, reverse charge',
    country: 'DE',
    kind: 'reverse_charge',
    mention: 'Reverse charge',
    rates: [{ rateBasisPoints: 0, validFrom: '2000-01-01' }],
  },
];

/** Creates the tax codes named in the examples of the API document. */
@Injectable()
export class TaxesDemo {
  constructor(private readonly taxCodes: TaxCodesService) {}

  /** The examples read 1 and change 2. */
  @DemoData(150, 'tax codes')
  async loadTaxCodes(): Promise<void> {
    for (const [index, taxCode] of TAX_CODES.entries()) {
      await this.taxCodes.create(taxCode, demoId('taxc', index + 1));
    }
  }
}
