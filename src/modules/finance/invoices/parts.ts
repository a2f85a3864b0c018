import { InvoiceDemo } from './demo.js';
import { InvoiceContents } from './invoice-contents.service.js';
import { InvoiceDrafts } from './invoice-drafts.service.js';
import { InvoiceIssuance } from './invoice-issuance.service.js';
import { InvoiceMoney } from './invoice-money.js';
import { InvoiceReader } from './invoice-reader.service.js';
import { InvoiceRecords } from './invoice-records.service.js';
import { InvoiceVoiding } from './invoice-voiding.service.js';
import { InvoicedBookings } from './invoiced-bookings.service.js';
import { InvoicesController } from './invoices.controller.js';
import { IssueTerms } from './issue-terms.service.js';

/** What the finance module is given of this folder. */
export const invoiceControllers = [InvoicesController];
export const invoiceProviders = [
  InvoiceContents,
  InvoiceDrafts,
  InvoiceIssuance,
  InvoiceMoney,
  InvoiceReader,
  InvoiceRecords,
  InvoiceVoiding,
  InvoicedBookings,
  IssueTerms,
  InvoiceDemo,
];
