import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Id, ListOf, OneOf, Optional, Text, Texts, Version, Whole } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant } from '../../../platform/http/trade-fields.js';
import { CODE_LENGTH, groupedCode } from './voucher-code.js';
import { VOID_CAUSES, type VoidCause, VOUCHER_STATUSES, type Voucher, type VoucherStatus } from './voucher.entity.js';

const MAX_ITEMS = 500;
const MAX_VOUCHERS = 1_000;
/** The longest text that a code may be typed as, with blanks and hyphens. */
const MAX_TYPED = 60;

export class ListVouchers extends PageQuery {
  /** Only vouchers in one of these statuses. */
  @Optional()
  @AnyOf(VOUCHER_STATUSES)
  status?: VoucherStatus[];

  /** Sort field, `createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt'])
  sort?: string;
}

/** The items whose missing vouchers are issued. */
export class IssueVouchers {
  /**
   * Items of the booking (prefix `bkit`); by default all items whose product does not exclude vouchers.
   * @example ["bkit_01k0dem000e000000000000016"]
   */
  @Optional()
  @Texts({ min: 1, max: MAX_ITEMS, maxLength: 100, unique: true })
  itemIds?: string[];
}

/** Why a voucher becomes void. */
export class VoidVoucher {
  /**
   * Reason, which the action ledger records.
   * @example "The customer lost the printed voucher"
   */
  @Text({ max: 500 })
  reason: string;
}

/** Why a void voucher is valid again. */
export class ReinstateVoucher {
  /**
   * Reason, which the action ledger records.
   * @example "The printed voucher was found"
   */
  @Text({ max: 500 })
  reason: string;
}

/** Admits a traveler, or all people of an item, to what was sold. */
export class VoucherResponse {
  @Id('vchr')
  id: string;

  @Id('book')
  bookingId: string;

  /** Item that the voucher stands for (prefix `bkit`). */
  @Id('bkit')
  itemId: string;

  /** Traveler whom the voucher admits (prefix `trav`); null if it admits all people of the item. */
  @Id('trav')
  travelerId: string | null;

  /** The content of the QR code: 12 random characters of Crockford's base32 and a check character. */
  @Text({ max: CODE_LENGTH })
  code: string;

  /** The code in groups of four characters, for people. */
  @Text({ max: 20 })
  displayCode: string;

  /** `issued` until it is redeemed or void. */
  @OneOf(VOUCHER_STATUSES)
  status: VoucherStatus;

  /** When it was redeemed; null before. A void voucher keeps the time. */
  @Instant()
  redeemedAt: string | null;

  /** ID of the user, or of the API token, who redeemed it; null before. */
  @Text({ max: 200 })
  redeemedBy: string | null;

  /** When it became void; null if it is valid. */
  @Instant()
  voidedAt: string | null;

  /** Why it became void; null if it is valid. */
  @OneOf(VOID_CAUSES)
  voidCause: VoidCause | null;

  /** Reason that staff gave; null if there is none. */
  @Text({ max: 500 })
  voidReason: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export class VoucherEnvelope extends dataOf(VoucherResponse) {}
export class VoucherPage extends pageOf(VoucherResponse) {}

/** The valid vouchers of the items. */
export class IssuedVouchersEnvelope {
  /** Valid vouchers of the items, oldest first, also those that were issued before. */
  @ListOf(() => VoucherResponse, { max: MAX_VOUCHERS })
  data: VoucherResponse[];
}

/** A voucher that a traveler shows. */
export class RedeemVoucher {
  /**
   * Code, scanned or typed: case, blanks and hyphens do not matter, and O, I and L count as the digits that they resemble.
   * @example "0000-0000-0004-R"
   */
  @Text({ max: MAX_TYPED })
  code: string;

  /**
   * Departure at whose meeting point the voucher is shown (prefix `dep`). A voucher for another one is rejected.
   * @example "dep_01k0dem000e000000000000012"
   */
  @Optional()
  @Id('dep')
  departureId?: string;
}

/** The redeemed voucher, and whom it admits. */
export class RedemptionResponse {
  /** Voucher (prefix `vchr`). */
  @Id('vchr')
  voucherId: string;

  @Id('book')
  bookingId: string;

  @Id('bkit')
  itemId: string;

  /** Traveler whom the voucher admits (prefix `trav`); null if it admits all people of the item. */
  @Id('trav')
  travelerId: string | null;

  /** Departure on which the people were checked in (prefix `dep`); null if the item has none. */
  @Id('dep')
  departureId: string | null;

  /** Number of people whom the voucher admits. */
  @Whole({ min: 0, max: 1_000_000 })
  people: number;

  /** When it was redeemed; null after the redemption was deleted. */
  @Instant()
  redeemedAt: string | null;

  @Version()
  version: number;
}

export class RedemptionEnvelope extends dataOf(RedemptionResponse) {}

export function toVoucher(voucher: Voucher): VoucherResponse {
  return respond(VoucherResponse, voucher, { displayCode: groupedCode(voucher.code) });
}
