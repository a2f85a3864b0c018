import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { AppError, conflict, unprocessable } from '../../../platform/errors/app-error.js';
import { renderInThread } from '../../../platform/pdf/pdf-threads.js';
import { DocumentFiles } from '../../notifications/index.js';
import { OrganizationService } from '../../organization/index.js';
import { ProductsService } from '../../products/index.js';
import { BookingsRepository } from '../bookings/bookings.repository.js';
import { voucherDocument } from './voucher-document.js';
import { type VoucherPath, VouchersRepository } from './vouchers.repository.js';

const THREAD = new URL('./voucher-thread.js', import.meta.url);
/** A document with more vouchers would take the worker too long. */
const MOST_PRINTED = 200;

export interface VoucherFile {
  bytes: Uint8Array;
  /** Contains no personal data. */
  name: string;
}

/** Vouchers that a mail carries. The version changes with what they show. */
interface VersionedVouchers extends VoucherFile {
  version: string;
}

/** Prints vouchers with the present data of their booking, so a moved departure is shown at its new time. */
@Injectable()
@Listens(DocumentFiles, 10)
export class VoucherDocumentsService implements DocumentFiles {
  readonly source = 'vouchers';

  constructor(
    private readonly repository: VouchersRepository,
    private readonly bookings: BookingsRepository,
    private readonly organization: OrganizationService,
    private readonly products: ProductsService,
    private readonly clock: Clock,
  ) {}

  /** Returns a PDF with all valid vouchers of the booking, or with one of them. */
  async render({
    bookingId,
    voucherId = null,
  }: {
    bookingId: string;
    voucherId?: string | null;
  }): Promise<VersionedVouchers> {
    if (voucherId === null) await this.bookings.bookings.get(bookingId);
    else await this.assertValid({ bookingId, voucherId });
    const [first, ...others] = await this.repository.printed(bookingId, { voucherId, limit: MOST_PRINTED + 1 });
    if (!first) throw conflict('no_valid_voucher', 'The booking has no valid voucher');
    if (others.length >= MOST_PRINTED) {
      const details = { field: 'bookingId', limit: MOST_PRINTED };
      throw unprocessable('too_many_vouchers', `A document has at most ${MOST_PRINTED} vouchers`, details);
    }
    const profile = await this.organization.getProfile();
    const language = profile.languageFor(first.language);
    const titles = new Map<string, string>();
    for (const id of new Set([first, ...others].flatMap(({ productId }) => productId ?? []))) {
      const title = await this.products.findTitle(id, language);
      if (title !== null) titles.set(id, title);
    }
    const terms = { profile, titles, language, day: this.clock.today() };
    const bytes = await renderInThread(THREAD, voucherDocument([first, ...others], terms));
    const shown = JSON.stringify([language, [...titles], first, ...others]);
    const version = createHash('sha256').update(shown).digest('hex');
    return { bytes, version, name: voucherId === null ? `vouchers-${bookingId}.pdf` : `voucher-${voucherId}.pdf` };
  }

  /** Like `render` for all vouchers of a booking; null if it has none that is valid. */
  async findPrinted(bookingId: string): Promise<VersionedVouchers | null> {
    return this.render({ bookingId }).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'no_valid_voucher') return null;
      throw error;
    });
  }

  /** Returns the present vouchers of a booking for a mail. */
  async read(bookingId: string): Promise<Buffer | null> {
    const printed = await this.findPrinted(bookingId);
    return printed && Buffer.from(printed.bytes);
  }

  private async assertValid(path: VoucherPath): Promise<void> {
    (await this.repository.get(path)).assertNotVoid();
  }
}
