import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { assertVersion, type ExpectedVersions } from '../../../../platform/http/if-match.js';
import { BookingsService } from '../../../bookings/index.js';
import type { BookingAccount } from '../account/booking-account.js';
import { BookingAccountsService } from '../account/booking-accounts.service.js';
import type { Invoice } from '../account/invoice.entity.js';
import { type CreditNoteWithLines, InvoicesRepository, type InvoiceWithLines } from './invoices.repository.js';

/** An invoice with the account of its booking, both locked. */
export interface LockedInvoice extends InvoiceWithLines {
  account: BookingAccount;
}

/** A credit note with the invoice that it credits and the account of their booking, all locked. */
export interface LockedCreditNote extends CreditNoteWithLines {
  account: BookingAccount;
  original: Invoice;
}

type Details = { field: string };

/**
 * Locks an invoice or a credit note together with the account of its booking. Always locks the booking first, so that two use
 * cases of one booking wait for each other and never deadlock.
 */
@Injectable()
export class DocumentLocksService {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly accounts: BookingAccountsService,
    private readonly repository: InvoicesRepository,
  ) {}

  /** Pass `details` for an id from a body. */
  async lockInvoice(id: string, expected: ExpectedVersions, details?: Details): Promise<LockedInvoice> {
    const { account, invoice, lines } = await this.lockInvoiceAnd(id, () => Promise.resolve(), details);
    assertVersion(expected, invoice);
    return { account, invoice, lines };
  }

  /** Also returns what `read` reads of the booking in the same round trip as the account. */
  async lockInvoiceAnd<Also>(
    id: string,
    read: (bookingId: string) => Promise<Also>,
    details?: Details,
  ): Promise<LockedInvoice & { also: Also }> {
    const readAll = (bookingId: string) => Promise.all([this.repository.linesOf(id), read(bookingId)]);
    const [account, [lines, also]] = await this.lockAccount(id, readAll, details);
    return { account, invoice: account.invoice(id, details), lines, also };
  }

  async lockCreditNote(id: string, expected: ExpectedVersions): Promise<LockedCreditNote> {
    const [account, { note, lines }] = await this.lockAccount(id, () => this.repository.lockCreditNote(id));
    assertVersion(expected, note);
    return { account, original: account.invoice(note.originalInvoiceId), note, lines };
  }

  private async lockAccount<Read>(
    id: string,
    read: (bookingId: string) => Promise<Read>,
    details?: Details,
  ): Promise<[BookingAccount, Read]> {
    const booking = await this.bookings.lock(await this.repository.bookingIdOf(id, details));
    return this.database.together(() => Promise.all([this.accounts.lockOf(booking), read(booking.id)]));
  }
}
