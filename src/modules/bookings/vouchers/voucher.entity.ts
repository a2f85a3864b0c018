import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { Impersonal, Personal } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { type AppError, conflict } from '../../../platform/errors/app-error.js';
import { extensible, named } from '../../../platform/http/named-values.js';

export const VOUCHER_STATUSES = named('VoucherStatus', ['issued', 'redeemed', 'void']);
export type VoucherStatus = (typeof VOUCHER_STATUSES)[number];

export const VOID_CAUSES = extensible('VoucherVoidCause', ['item_cancelled', 'seat_lost', 'staff']);
export type VoidCause = (typeof VOID_CAUSES)[number];

/** Proves the right to a sold service: of one traveler on the item, or of all people of the item. */
@Entity('vouchers')
export class Voucher extends Audited {
  @PrimaryColumn('text') id: string;
  @Unaudited('the code admits its bearer')
  @Column('text')
  code: string;
  @Column('text', { name: 'booking_id' }) bookingId: string;
  @Column('text', { name: 'item_id' }) itemId: string;
  /** Null for a voucher of all people of the item. */
  @Column('text', { name: 'traveler_id', nullable: true }) travelerId: string | null;
  @Column('text') status: VoucherStatus;
  /** A void voucher keeps the time, so that it is redeemed again if the item is reinstated. */
  @Column('timestamptz', { name: 'redeemed_at', nullable: true }) redeemedAt: Date | null;
  /** The user or the API token. */
  @Column('text', { name: 'redeemed_by', nullable: true }) redeemedBy: string | null;
  @Column('timestamptz', { name: 'voided_at', nullable: true }) voidedAt: Date | null;
  @Impersonal()
  @Column('text', { name: 'void_cause', nullable: true })
  voidCause: VoidCause | null;
  @Personal('contract')
  @Unaudited('free text; the reason of the entry')
  @Column('text', { name: 'void_reason', nullable: true })
  voidReason: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  isValid(): boolean {
    return this.status !== 'void';
  }

  void(cause: VoidCause, reason: string | null, now: Date): void {
    const fields = { voidedAt: now, voidCause: cause, voidReason: reason };
    Object.assign(this, { status: 'void', ...fields, updatedAt: now });
  }

  /** Restores the state before it was voided. */
  reinstate(now: Date): void {
    const status = this.redeemedAt === null ? 'issued' : 'redeemed';
    Object.assign(this, { status, voidedAt: null, voidCause: null, voidReason: null, updatedAt: now });
  }

  redeem(redeemedBy: string, now: Date): void {
    this.assertIssued();
    Object.assign(this, { status: 'redeemed', redeemedAt: now, redeemedBy, updatedAt: now });
  }

  /** Reverses a redemption. */
  reopen(now: Date): void {
    if (this.status !== 'redeemed') throw this.invalidTransition('issued');
    Object.assign(this, { status: 'issued', redeemedAt: null, redeemedBy: null, updatedAt: now });
  }

  /** Throws 409 for a voucher that is void or redeemed. */
  assertIssued(): void {
    this.assertNotVoid();
    if (this.redeemedAt === null) return;
    const at = this.redeemedAt.toISOString();
    throw conflict('already_redeemed', 'The voucher has already been redeemed', { voucherId: this.id, at });
  }

  assertNotVoid(): void {
    if (this.isValid()) return;
    const details = { voucherId: this.id, cause: this.voidCause, at: this.voidedAt?.toISOString() ?? null };
    throw conflict('voucher_void', 'The voucher is void', details);
  }

  assertVoid(): void {
    if (this.isValid()) throw this.invalidTransition('issued');
  }

  private invalidTransition(to: VoucherStatus): AppError {
    const { status: from } = this;
    return conflict('invalid_transition', `The voucher is ${from}`, { from, to, allowed: [] });
  }
}
