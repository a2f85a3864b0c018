import { Injectable } from '@nestjs/common';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import type { PaymentPolicyBody } from '../bookings/index.js';
import type { CreateCommission } from './commissions/commission.dto.js';
import { CommissionsService } from './commissions/commissions.service.js';
import type { CreateNumberSeries } from './number-series/number-series.dto.js';
import { NumberSeriesService } from './number-series/number-series.service.js';
import { PaymentPoliciesService } from './payment-policy/payment-policies.service.js';
import { RenditionJobs } from './renditions/renditions.jobs.js';
import { RenditionsService } from './renditions/renditions.service.js';
import type { CreateSupplierInvoice } from './supplier-invoices/supplier-invoice.dto.js';
import { SupplierInvoicesService } from './supplier-invoices/supplier-invoices.service.js';

const SUPPLIER_INVOICES: readonly CreateSupplierInvoice[] = [
  {
    supplierName: 'Hotel Seeblick GmbH',
    invoiceNumber: 'HS-2026-0117',
    currency: 'CHF',
    baseCurrency: 'EUR',
    exchangeRate: '1.0325',
    totalCents: 119_000,
    taxCents: 19_000,
    issueDate: '2026-11-02',
    dueDate: '2026-12-02',
    status: 'approved',
    lines: [
      {
        description: 'Double room, 4 nights',
        serviceType: 'accommodation',
        quantity: 5,
        unitAmountCents: 18_000,
        taxAmountCents: 17_100,
      },
      { description: 'Lake cruise', serviceType: 'experience', unitAmountCents: 10_000, taxAmountCents: 1_900 },
    ],
  },
  {
    supplierName: 'Hotel Bellevue AG',
    invoiceNumber: 'HB-2027-0007',
    currency: 'CHF',
    totalCents: 11_900,
    issueDate: '2027-01-12',
  },
  {
    supplierName: 'Alpenbus Reisen',
    invoiceNumber: '2027/0311',
    currency: 'EUR',
    baseCurrency: 'EUR',
    totalCents: 84_500,
    issueDate: '2027-01-18',
    dueDate: '2027-02-01',
  },
  {
    supplierName: 'Lisboa Walking Guides',
    invoiceNumber: 'LWG 88',
    currency: 'EUR',
    totalCents: 24_000,
    issueDate: '2027-01-20',
    status: 'approved',
  },
  {
    supplierName: 'Kyoto Ryokan Association',
    invoiceNumber: 'KRA-5521',
    currency: 'JPY',
    baseCurrency: 'EUR',
    exchangeRate: '0.0061',
    totalCents: 158_000,
    issueDate: '2027-01-22',
    dueDate: '2027-02-21',
    notes: 'Sent twice by mistake',
  },
  {
    supplierName: 'Algarve Coach Lines',
    invoiceNumber: 'ACL-2026-118',
    currency: 'EUR',
    totalCents: 64_000,
    issueDate: '2026-10-05',
    dueDate: '2026-11-04',
    status: 'approved',
  },
  {
    supplierName: 'Museums of Vienna',
    invoiceNumber: 'MV 4410',
    currency: 'EUR',
    totalCents: 80_000,
    issueDate: '2026-10-12',
    dueDate: '2026-11-11',
    status: 'approved',
  },
];

const NUMBER_SERIES: readonly CreateNumberSeries[] = [
  { name: 'Invoices', prefix: 'INV-', pattern: '{prefix}{YYYY}-{SEQ:4}', resetPeriod: 'yearly' },
  { name: 'Proforma invoices', prefix: 'PRO-', documentType: 'proforma' },
  { name: 'Proforma invoices of last season', prefix: 'PS-', documentType: 'proforma', nextNumber: 77, active: false },
];

const PAYMENT_POLICY: PaymentPolicyBody = {
  steps: [
    { label: 'Deposit', type: 'deposit', percentBasisPoints: 3000, anchor: 'booking', offsetDays: 0 },
    { label: 'Balance', type: 'balance', remainder: true, anchor: 'departure', offsetDays: -30 },
  ],
  minimumDays: 45,
  floorDays: 3,
  noDateDays: 14,
};

const AGENCY = { recipientType: 'agency', recipientName: 'Alpine Resellers', recipientId: 'AR-17' } as const;
const DEPARTED_ITEM = demoId('bkit', 106);
const SOLD_ITEM = demoId('bkit', 19);

const COMMISSIONS: readonly (CreateCommission & { item: string })[] = [
  { item: SOLD_ITEM, ...AGENCY, rateBasisPoints: 1250 },
  { item: SOLD_ITEM, ...AGENCY, rateBasisPoints: 500, basis: 'margin' },
  { item: SOLD_ITEM, recipientType: 'other', recipientName: 'Wrong Partner', rateBasisPoints: 100 },
  { item: DEPARTED_ITEM, ...AGENCY, rateBasisPoints: 1000, payableTrigger: 'departed' },
  {
    item: SOLD_ITEM,
    recipientType: 'agent',
    recipientName: 'Reto',
    commissionModel: 'fixed',
    amountCents: 500,
    perUnit: true,
  },
];

/** Rows that the examples of the API document name. */
@Injectable()
export class FinanceDemo {
  constructor(
    private readonly supplierInvoices: SupplierInvoicesService,
    private readonly numberSeries: NumberSeriesService,
    private readonly policies: PaymentPoliciesService,
    private readonly renditions: RenditionsService,
    private readonly renditionJobs: RenditionJobs,
    private readonly commissions: CommissionsService,
  ) {}

  /**
   * 1 is approved and read; drafts 2 is changed, 3 approved, 5 voided; 4 is approved and reopened; 6 is approved and paid;
   * 7 is approved and paid in parts.
   */
  @DemoData(400, 'supplier invoices')
  async loadSupplierInvoices(): Promise<void> {
    for (const [index, invoice] of SUPPLIER_INVOICES.entries()) {
      await this.supplierInvoices.create(invoice, demoId('sinv', index + 1));
    }
  }

  /** 1 numbers invoices, 2 is changed, 3 is deleted. */
  @DemoData(405, 'invoice number series')
  async loadNumberSeries(): Promise<void> {
    for (const [index, series] of NUMBER_SERIES.entries()) {
      await this.numberSeries.create(series, demoId('iser', index + 1));
    }
  }

  /** Before the bookings (450), so that the plans of those that are confirmed follow it. */
  @DemoData(440, 'payment policy')
  async loadPaymentPolicy(): Promise<void> {
    await this.policies.replace(PAYMENT_POLICY, null);
  }

  /** A PDF of the issued invoice 1 that can be downloaded at once. */
  @DemoData(475, 'invoice renditions')
  async loadRenditions(): Promise<void> {
    const renditionId = demoId('rend', 1);
    await this.renditions.request(demoId('inv', 1), { format: 'pdf', language: 'de' }, renditionId);
    await this.renditionJobs.render({ renditionId });
  }

  /** 1 is read, 2 changed, 3 voided; 4 is payable and paid out. */
  @DemoData(490, 'commissions')
  async loadCommissions(): Promise<void> {
    for (const [index, { item, ...commission }] of COMMISSIONS.entries()) {
      await this.commissions.create(item, commission, demoId('comm', index + 1));
    }
  }
}
