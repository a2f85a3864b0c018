import { Injectable } from '@nestjs/common';
import { Clock } from '../../../../platform/clock/clock.js';
import { Database } from '../../../../platform/database/database.js';
import { AppError, invalidField } from '../../../../platform/errors/app-error.js';
import { type BookingItemSummary, BookingsService } from '../../../bookings/index.js';
import { TaxCodesService } from '../../../taxes/index.js';
import type { BookingAccount } from '../account/booking-account.js';
import type { PricedLine } from '../account/billing-document.entity.js';
import type { Invoice } from '../account/invoice.entity.js';
import { BilledTaxesService, FinanceSettingsService } from '../../books/index.js';
import type { CreateInvoiceLine } from './invoice.dto.js';
import {
  type Contents,
  contentsOf,
  type InvoiceSources,
  isUntaxedFee,
  WronglyBilledError,
} from './invoice-contents.js';
import type { LineInput } from './line-amounts.js';

type Requested = Parameters<typeof contentsOf>[1];

/** Reads the sources of invoice lines: the items of a booking, their tax codes and the billed amounts. */
@Injectable()
export class InvoiceSourcesService {
  constructor(
    private readonly database: Database,
    private readonly bookings: BookingsService,
    private readonly taxCodes: TaxCodesService,
    private readonly billedTaxes: BilledTaxesService,
    private readonly settings: FinanceSettingsService,
    private readonly clock: Clock,
  ) {}

  async read({ booking, plan }: Pick<BookingAccount, 'booking' | 'plan'>): Promise<InvoiceSources> {
    return { plan, ...(await this.ofBooking(booking.id)) };
  }

  /** Reads the sources except the plan, for a caller that reads them together with the account. */
  async ofBooking(bookingId: string): Promise<Omit<InvoiceSources, 'plan'>> {
    const [items, billed] = await this.database.together(() =>
      Promise.all([this.bookings.activeItems(bookingId), this.billedTaxes.byRate(bookingId)]),
    );
    const taxCodeIds = [...new Set(items.flatMap(({ taxCodeId }) => taxCodeId ?? []))];
    const mentions = await this.taxCodes.mentionsOf(taxCodeIds);
    const areFeesUntaxed =
      items.some(isUntaxedFee) && (await this.settings.get()).cancellationFeeTax === 'outside_scope';
    const billedFeeCents = areFeesUntaxed ? await this.billedTaxes.feesOf(bookingId) : 0;
    return { items, billed, billedFeeCents, mentions, areFeesUntaxed };
  }

  /** Returns `contentsOf` with the current sources. If documents must be credited first, the error names them. */
  async contentsOf(account: BookingAccount, requested: Requested, sources?: InvoiceSources): Promise<Contents> {
    try {
      return contentsOf(sources ?? (await this.read(account)), requested);
    } catch (error) {
      if (!(error instanceof WronglyBilledError)) throw error;
      throw await this.billedTaxes.creditDue(account.booking.id, error.groups);
    }
  }

  /**
   * Returns the lines of a request with the copied values of their tax codes. A line of an item has the tax code of the item
   * unless another one is sent.
   */
  async withTaxCodes(
    lines: readonly CreateInvoiceLine[],
    { items }: InvoiceSources,
    { isCodeOptional = false }: { isCodeOptional?: boolean } = {},
  ): Promise<LineInput[]> {
    if (!isCodeOptional && (await this.settings.get()).taxCodesRequired) assertCoded(lines, items);
    const completed: LineInput[] = [];
    for (const [index, line] of lines.entries()) completed.push(await this.withTaxCode(line, index, items));
    return completed;
  }

  private async withTaxCode(line: CreateInvoiceLine, index: number, items: readonly BookingItemSummary[]) {
    const { bookingItemId, priceBasis, serviceDate, serviceEndDate } = line;
    if (serviceDate && serviceEndDate && serviceEndDate < serviceDate) {
      throw invalidField(
        `lines.${index}.serviceEndDate`,
        'serviceEndDate must not be before serviceDate',
        'end_before_start',
      );
    }
    const item = items.find(({ id }) => id === bookingItemId);
    const { taxCodeId = item?.taxCodeId ?? null } = line;
    const day = serviceDate ?? item?.serviceDate ?? null;
    if (taxCodeId === null) return { ...line, taxCodeId, serviceDate: day };
    const isItems = item?.taxCodeId === taxCodeId;
    const tax = isItems ? item : await this.rateOf(taxCodeId, day, index);
    const { taxCode, taxKind } = tax;
    const mention = (await this.taxCodes.mentionsOf([taxCodeId])).get(taxCodeId)?.mention ?? null;
    const ownRate = taxKind === 'margin_scheme' ? null : tax.taxRateBasisPoints;
    const { taxRateBasisPoints = priceBasis === 'allocated' && line.taxCents === undefined ? null : ownRate } = line;
    return { ...line, taxCodeId, taxCode, taxKind, taxRateBasisPoints, mention, serviceDate: day };
  }

  private async rateOf(taxCodeId: string, day: string | null, index: number) {
    const field = `lines.${index}.taxCodeId`;
    return this.taxCodes.getRateOn(taxCodeId, day ?? this.clock.today(), { field, isNew: false });
  }
}

/** An item that was sold without a tax code is billed without one. */
function assertCoded(lines: readonly CreateInvoiceLine[], items: readonly BookingItemSummary[]): void {
  for (const [index, { bookingItemId, taxCodeId }] of lines.entries()) {
    const item = items.find(({ id }) => id === bookingItemId);
    const isCoded = (taxCodeId === undefined ? item?.taxCodeId : taxCodeId) != null;
    if (isCoded || item?.taxCodeId === null) continue;
    throw new AppError(400, 'tax_code_required', 'The accounting settings require a tax code', {
      details: { field: `lines.${index}.taxCodeId` },
    });
  }
}

/** The VAT directive requires the tax ID and the address of the payer on some documents. */
export function assertPayerComplete({ payerTaxId, payerAddress }: Invoice, lines: readonly PricedLine[]): void {
  if (payerTaxId === null && lines.some(({ taxKind }) => taxKind === 'reverse_charge')) {
    throw invalidField('payerTaxId', 'An invoice with reverse charge requires payerTaxId', 'required');
  }
  if (payerTaxId !== null && payerAddress === null) {
    throw invalidField('payerAddress', 'An invoice with payerTaxId requires payerAddress', 'required');
  }
}
