import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { Database } from '../../platform/database/database.js';
import { demoId } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import type { PaymentPolicyBody } from '../bookings/index.js';
import { BookingAccountsService } from './receivables/account/booking-accounts.service.js';
import type { CreateCommission } from './commissions/commission.dto.js';
import { CommissionsService } from './commissions/commissions.service.js';
import { CreditNotesService } from './receivables/credit-notes/credit-notes.service.js';
import { ExchangeRatesService } from './books/exchange-rates/exchange-rates.service.js';
import { InvoicesService } from './receivables/invoices/invoices.service.js';
import type { CreateNumberSeries } from './books/number-series/number-series.dto.js';
import { NumberSeriesService } from './books/number-series/number-series.service.js';
import { PaymentPlansService } from './receivables/plans/payment-plans.service.js';
import { PaymentPoliciesService } from './receivables/policies/payment-policies.service.js';
import { PaymentsService } from './receivables/payments/payments.service.js';
import { RefundsService } from './receivables/refunds/refunds.service.js';
import { TransfersService } from './receivables/refunds/transfers.service.js';
import { RenditionJobs } from './documents/renditions.jobs.js';
import { RenditionsService } from './documents/renditions.service.js';
import type { CreateSupplierInvoice } from './payables/supplier-invoice.dto.js';
import { SupplierInvoicesService } from './payables/supplier-invoices.service.js';

const DAY_MS = 86_400_000;

/** `day(n)` is the day n days after today. */
const supplierInvoices = (day: (offset: number) => string): readonly CreateSupplierInvoice[] => [
  {
    supplierName: 'Hotel Seeblick GmbH',
    invoiceNumber: 'HS-0117',
    currency: 'CHF',
    baseCurrency: 'EUR',
    exchangeRate: '1.0325',
    totalCents: 119_000,
    taxCents: 19_000,
    issueDate: day(-26),
    dueDate: day(4),
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
    invoiceNumber: 'HB-0007',
    currency: 'CHF',
    totalCents: 11_900,
    issueDate: day(-3),
  },
  {
    supplierName: 'Alpenbus Innsbruck',
    invoiceNumber: '0311',
    currency: 'EUR',
    baseCurrency: 'EUR',
    totalCents: 84_500,
    issueDate: day(-8),
    dueDate: day(6),
  },
  {
    supplierName: 'Lofoten Fishing Huts AS',
    invoiceNumber: 'LFH 88',
    currency: 'EUR',
    totalCents: 24_000,
    issueDate: day(-6),
    status: 'approved',
  },
  {
    supplierName: 'Kyoto Ryokan Association',
    invoiceNumber: 'KRA-5521',
    currency: 'JPY',
    baseCurrency: 'EUR',
    exchangeRate: '0.0061',
    totalCents: 158_000,
    issueDate: day(-2),
    dueDate: day(28),
    notes: 'Sent twice by mistake',
  },
  {
    supplierName: 'Delta Transfers',
    invoiceNumber: 'DT-118',
    currency: 'EUR',
    totalCents: 64_000,
    issueDate: day(-54),
    dueDate: day(-24),
    status: 'approved',
  },
  {
    supplierName: 'Museums of Vienna',
    invoiceNumber: 'MV 4410',
    currency: 'EUR',
    totalCents: 80_000,
    // This day is fixed, because the examples of accounting periods close the months after it.
    issueDate: '2025-10-12',
    dueDate: '2025-11-11',
    status: 'approved',
  },
];

const EXCHANGE_RATES = [
  ['USD', '1.0870'],
  ['CHF', '0.9412'],
] as const;

const NUMBER_SERIES: readonly CreateNumberSeries[] = [
  { name: 'Invoices', prefix: 'INV-', pattern: '{prefix}{YYYY}-{SEQ:4}', resetPeriod: 'yearly' },
  { name: 'Proforma invoices', prefix: 'PRO-', documentType: 'proforma' },
  { name: 'Proforma invoices of last season', prefix: 'PS-', documentType: 'proforma', nextNumber: 77, active: false },
  {
    name: 'Credit notes',
    prefix: 'CN-',
    pattern: '{prefix}{YYYY}-{SEQ:4}',
    documentType: 'credit_note',
    resetPeriod: 'yearly',
  },
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

const AGENCY = {
  recipientType: 'agency',
  recipientName: 'Alpine Resellers',
  recipientId: 'AR-17',
  channelId: demoId('chan', 2),
} as const;
const DEPARTED_ITEM = demoId('bkit', 106);
const SOLD_ITEM = demoId('bkit', 19);

const COMMISSIONS: readonly (CreateCommission & { item: string })[] = [
  { item: SOLD_ITEM, ...AGENCY, rateBasisPoints: 1250 },
  { item: SOLD_ITEM, ...AGENCY, rateBasisPoints: 500, basis: 'margin' },
  { item: SOLD_ITEM, recipientType: 'other', recipientName: 'Wanderlust Marketplace', rateBasisPoints: 100 },
  { item: DEPARTED_ITEM, ...AGENCY, rateBasisPoints: 1000, payableTrigger: 'departed' },
  {
    item: SOLD_ITEM,
    recipientType: 'agent',
    recipientName: 'Jonas Lind',
    commissionModel: 'fixed',
    amountCents: 500,
    perUnit: true,
  },
];

/** Creates the rows named in the examples of the API document. */
@Injectable()
export class FinanceDemo {
  constructor(
    private readonly supplierInvoices: SupplierInvoicesService,
    private readonly rates: ExchangeRatesService,
    private readonly numberSeries: NumberSeriesService,
    private readonly policies: PaymentPoliciesService,
    private readonly accounts: BookingAccountsService,
    private readonly plans: PaymentPlansService,
    private readonly invoices: InvoicesService,
    private readonly creditNotes: CreditNotesService,
    private readonly payments: PaymentsService,
    private readonly refunds: RefundsService,
    private readonly transfers: TransfersService,
    private readonly renditions: RenditionsService,
    private readonly renditionJobs: RenditionJobs,
    private readonly commissions: CommissionsService,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * The examples read 1, which is approved, change draft 2, approve draft 3, reopen 4, void draft 5 and pay 6. Invoice 7 is
   * approved and paid in parts.
   */
  @DemoData(400, 'supplier invoices')
  async loadSupplierInvoices(): Promise<void> {
    for (const [index, invoice] of supplierInvoices((offset) => this.day(offset)).entries()) {
      await this.supplierInvoices.create(invoice, demoId('sinv', index + 1));
    }
  }

  /** The examples read 1, and issue invoices in these currencies. */
  @DemoData(403, 'exchange rates')
  async loadExchangeRates(): Promise<void> {
    for (const [index, [to, rate]] of EXCHANGE_RATES.entries()) {
      const published = { from: 'EUR', to, day: this.clock.today(), rate, source: 'bank' } as const;
      await this.rates.record(published, demoId('xrat', index + 1));
    }
  }

  /** Series 1 numbers invoices and 4 numbers credit notes; the examples change 2 and delete 3. */
  @DemoData(405, 'invoice number series')
  async loadNumberSeries(): Promise<void> {
    for (const [index, series] of NUMBER_SERIES.entries()) {
      await this.numberSeries.create(series, demoId('iser', index + 1));
    }
  }

  /** Loaded before the bookings (450), so that the plans of confirmed bookings follow it. */
  @DemoData(440, 'payment policy')
  async loadPaymentPolicy(): Promise<void> {
    await this.policies.replace(PAYMENT_POLICY, null);
  }

  /**
   * The examples read installments 1 and 2 of booking 20, and change 3 of booking 22, which also has 4. They add an installment
   * to booking 21 and a collection plan to booking 23, which have no plan.
   */
  @DemoData(460, 'payment plans')
  async loadPaymentPlans(): Promise<void> {
    await this.startPlan(20, 1);
    await this.startPlan(22, 3);
  }

  /**
   * All invoices are for booking 18. The examples read 1, which is issued, change draft 2, issue draft 3, void 4 and delete
   * draft 5.
   */
  @DemoData(470, 'invoices')
  async loadInvoices(): Promise<void> {
    for (const number of [1, 2, 3, 4, 5]) {
      const id = demoId('inv', number);
      const tour = {
        description: 'Transylvania round trip, hotel',
        quantity: '2',
        unitPriceCents: 5_000,
        taxRateBasisPoints: 1_900,
      };
      const discount = { description: 'Early bird', unitPriceCents: -500, taxRateBasisPoints: 1_900 };
      const invoice = { bookingId: demoId('book', 18), payerAddress: '12 Lake Road\nLucerne', lines: [tour, discount] };
      await this.invoices.create(invoice, id);
      if (number === 1 || number === 4) await this.invoices.issue(id, {}, null);
    }
  }

  /**
   * The credit notes are for invoice 6 of booking 18. The examples read 1, which is issued, change draft 2, delete draft 3 and
   * issue draft 4.
   */
  @DemoData(472, 'credit notes')
  async loadCreditNotes(): Promise<void> {
    const invoiceId = demoId('inv', 6);
    const lines = [{ description: 'Transylvania round trip, coach', unitPriceCents: 4_000, taxRateBasisPoints: 1_900 }];
    await this.invoices.create({ bookingId: demoId('book', 18), lines }, invoiceId);
    await this.invoices.issue(invoiceId, {}, null);
    for (const number of [1, 2, 3, 4]) {
      const id = demoId('crn', number);
      const credited = { lines: [{ linePosition: 1, amountCents: 100 }], reasonText: 'One guest fell ill' };
      await this.creditNotes.create({ invoiceId, reason: 'correction', ...credited }, id);
      if (number === 1) await this.creditNotes.issue(id, {}, null);
    }
  }

  /** Adds a PDF of the issued invoice 1 that can be downloaded immediately. */
  @DemoData(475, 'invoice renditions')
  async loadRenditions(): Promise<void> {
    const renditionId = demoId('rend', 1);
    await this.renditions.request(demoId('inv', 1), { format: 'pdf', language: 'de' }, renditionId);
    await this.renditionJobs.render({ renditionId });
  }

  /**
   * Payments 1 to 4 are for supplier invoice 7: the examples read 1, allocate unapplied money of 2, reverse an allocation of 3,
   * and reverse 4. Payment 5 is the deposit of booking 16. An example records a payment for booking 17.
   * Payments 10 and 11 are for bookings 44 and 45, whose departure is called off.
   */
  @DemoData(480, 'payments')
  async loadPayments(): Promise<void> {
    for (const number of [1, 2, 3, 4]) {
      await this.payments.record(
        {
          direction: 'out',
          supplierInvoiceId: demoId('sinv', 7),
          method: 'bank_transfer',
          currency: 'EUR',
          amountCents: 20_000,
          paidOn: this.clock.today(),
          reference: `Part ${number}`,
        },
        { id: demoId('pay', number), allocationIds: [demoId('pall', number)] },
      );
    }
    await this.payments.deallocate(demoId('pay', 2), demoId('pall', 2), null);
    const deposit = { method: 'card', currency: 'EUR', amountCents: 35_700, paidOn: this.clock.today() } as const;
    await this.payments.record({ bookingId: demoId('book', 16), ...deposit }, { id: demoId('pay', 5) });
    for (const number of [44, 45]) {
      await this.payments.record({ bookingId: demoId('book', number), ...deposit }, { id: demoId('pay', number - 34) });
    }
  }

  /**
   * Payment 6 is a receipt of booking 28 that settles nothing; the examples refund and transfer parts of it. They read refund
   * 7, complete 8 and fail 9, and reverse transfer 1 to booking 29.
   */
  @DemoData(485, 'refunds and transfers')
  async loadRefunds(): Promise<void> {
    const [bookingId, toBookingId] = [demoId('book', 28), demoId('book', 29)];
    const receipt = { method: 'bank_transfer', currency: 'EUR', amountCents: 100_000, autoApply: false } as const;
    await this.payments.record({ bookingId, ...receipt, paidOn: this.clock.today() }, { id: demoId('pay', 6) });
    const part = { amountCents: 10_000, reason: 'One of two seats was cancelled' };
    for (const number of [7, 8, 9]) {
      await this.refunds.request(bookingId, { ...part, method: 'bank_transfer' }, { id: demoId('pay', number) });
    }
    await this.transfers.create(bookingId, { ...part, toBookingId }, demoId('ptrf', 1));
  }

  /** The examples read 1, change 2, void 3 and pay out 4, which is payable. */
  @DemoData(490, 'commissions')
  async loadCommissions(): Promise<void> {
    for (const [index, { item, ...commission }] of COMMISSIONS.entries()) {
      await this.commissions.create(item, commission, demoId('comm', index + 1));
    }
  }

  private day(offset: number): string {
    return new Date(Date.parse(this.clock.today()) + offset * DAY_MS).toISOString().slice(0, 10);
  }

  private async startPlan(booking: number, firstInstallment: number): Promise<void> {
    await this.database.transaction(async () => {
      const account = await this.accounts.lock(demoId('book', booking));
      const { policy, source, computed } = await this.plans.compute(account.booking, { today: this.clock.today() });
      const installments = computed.entries.map((installment, index) => ({
        ...installment,
        id: demoId('psch', firstInstallment + index),
      }));
      await this.plans.start(account, { policy, source }, installments);
    });
  }
}
