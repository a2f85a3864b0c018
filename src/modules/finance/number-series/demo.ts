import { Injectable, type OnModuleInit } from '@nestjs/common';
import { demoId } from '../../../platform/ids/id.js';
import { Provisioning } from '../../../platform/provisioning/provisioning.js';
import type { CreateNumberSeries } from './number-series.dto.js';
import { NumberSeriesRegister } from './number-series.service.js';

const SERIES: readonly CreateNumberSeries[] = [
  { name: 'Invoices', prefix: 'INV-', pattern: '{prefix}{YYYY}-{SEQ:4}', resetPeriod: 'yearly' },
  { name: 'Proforma invoices', prefix: 'PRO-', documentType: 'proforma' },
  { name: 'Proforma invoices of last season', prefix: 'PS-', documentType: 'proforma', nextNumber: 77, active: false },
];

/** The series that the API document's examples name: 1 numbers invoices, 2 is to be changed, 3 to be deleted. */
@Injectable()
export class NumberSeriesDemo implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly series: NumberSeriesRegister,
  ) {}

  onModuleInit(): void {
    this.provisioning.demo(405, 'invoice number series', () => this.load());
  }

  private async load(): Promise<void> {
    for (const [index, one] of SERIES.entries()) await this.series.create(one, demoId('iser', index + 1));
  }
}
