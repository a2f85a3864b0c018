import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeInteger } from '../../../platform/database/columns.js';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { imageOf } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { SettledMoney, SettlementChoice } from '../../finance/index.js';
import { CALL_OFF_ACTIONS, type CallOffAction, type Treatment } from './call-off.entity.js';

/** `release`: the reservation of a trip ends. */
export const ITEM_ACTIONS = named('CallOffItemAction', [...CALL_OFF_ACTIONS, 'release']);
export type ItemAction = CallOffAction | 'release';

export const ITEM_STATUSES = named('CallOffItemStatus', ['pending', 'done', 'failed', 'skipped']);
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** A temporary error is repeated; an item that still fails then waits for staff. */
const MAX_ATTEMPTS = 5;

/** A booking with live services on the departure, or a trip that holds units of it. */
@Entity('call_off_items')
export class CallOffItem {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'call_off_id' }) callOffId: string;
  /** The order in which the items are worked on. */
  @Column('integer') position: number;
  @Column('text', { name: 'booking_id', nullable: true }) bookingId: string | null;
  @Column('text', { name: 'envelope_id', nullable: true }) envelopeId: string | null;
  @Column('text') action: ItemAction;
  @Column('text', { name: 'target_departure_id', nullable: true }) targetDepartureId: string | null;
  @Impersonal()
  @Column('text', { nullable: true })
  settle: SettlementChoice | null;
  @Column('boolean') reprice: boolean;
  @Column('text') status: ItemStatus;
  /** Why it failed or was skipped. */
  @Column('text', { nullable: true }) code: string | null;
  @Column('integer') people: number;
  @Column('integer') units: number;
  @Column('text') currency: string;
  /** The price of its services on the departure. */
  @Column('bigint', { name: 'total_cents', transformer: safeInteger }) totalCents: number;
  @Column('text', { name: 'settlement_id', nullable: true }) settlementId: string | null;
  @Column('text', { name: 'refund_id', nullable: true }) refundId: string | null;
  @Column('bigint', { name: 'refunded_cents', transformer: safeInteger }) refundedCents: number;
  @Column('bigint', { name: 'credited_cents', transformer: safeInteger }) creditedCents: number;
  /** Money that staff have to settle. */
  @Column('bigint', { name: 'open_cents', transformer: safeInteger }) openCents: number;
  @Column('text', { name: 'message_id', nullable: true }) messageId: string | null;
  @Unaudited('progress of the work')
  @Column('integer')
  attempts: number;
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  treat(treatment: Treatment, now: Date): void {
    Object.assign(this, treatment, { updatedAt: now });
  }

  /** Only an item that is not worked on yet can be changed. */
  assertPending(): void {
    if (this.status === 'pending') return;
    const details = { from: this.status, to: 'pending', allowed: [] };
    throw conflict('invalid_transition', `The item is ${this.status}`, details);
  }

  assertBooking(): void {
    if (this.bookingId !== null) return;
    throw conflict('item_is_trip', 'The reservation of a trip can only end');
  }

  finish(result: Pick<CallOffItem, 'messageId'> & Partial<SettledMoney>, now: Date): void {
    Object.assign(this, result, { status: 'done', code: null, endedAt: now, updatedAt: now });
    this.attempts += 1;
  }

  skip(code: string, now: Date): void {
    Object.assign(this, { status: 'skipped', code, endedAt: now, updatedAt: now });
  }

  /** An error that another attempt cannot overcome ends the work on the item. */
  fail(code: string, { isTemporary, now }: { isTemporary: boolean; now: Date }): void {
    this.attempts += 1;
    Object.assign(this, { code, updatedAt: now });
    if (isTemporary && this.attempts < MAX_ATTEMPTS) return;
    Object.assign(this, { status: 'failed', endedAt: now });
  }

  retry(now: Date): void {
    Object.assign(this, { status: 'pending', code: null, attempts: 0, endedAt: null, updatedAt: now });
  }

  auditImage(): object {
    return imageOf(this);
  }
}
