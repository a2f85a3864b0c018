import { demoId } from '../../platform/ids/id.js';
import type { CreateSupplierInvoice } from './supplier-invoices/supplier-invoice.dto.js';
import type { SupplierInvoices } from './supplier-invoices/supplier-invoices.service.js';

const INVOICES: readonly CreateSupplierInvoice[] = [
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

/**
 * The supplier invoices that the API document's examples name: 1 approved, to be read; drafts 2 to be changed, 3 to be
 * approved and 5 to be voided; 4 approved, to be reopened; 6 approved, to be paid; 7 approved and paid in parts.
 */
export async function loadDemoSupplierInvoices(invoices: SupplierInvoices): Promise<void> {
  for (const [index, invoice] of INVOICES.entries()) await invoices.create(invoice, demoId('sinv', index + 1));
}
