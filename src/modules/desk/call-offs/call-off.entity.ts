import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { named } from '../../../platform/http/named-values.js';
import type { SettlementChoice } from '../../finance/index.js';
import type { CallOffReason } from '../../operations/index.js';

export const CALL_OFF_ACTIONS = named('CallOffAction', ['move', 'cancel', 'keep']);
export type CallOffAction = (typeof CALL_OFF_ACTIONS)[number];

export const CALL_OFF_STATUSES = named('CallOffStatus', [
  'running',
  'paused',
  'completed',
  'completed_with_failures',
  'abandoned',
]);
export type CallOffStatus = (typeof CALL_OFF_STATUSES)[number];

/** What happens with a booking. */
export interface Treatment {
  action: CallOffAction;
  /** Set if the action is `move`. */
  targetDepartureId: string | null;
  /** Set if the action is `cancel`. */
  settle: SettlementChoice | null;
  reprice: boolean;
}

type Verb = 'pause' | 'resume' | 'retry' | 'abandon' | 'finish';

/** Each change of the status, and the statuses from which it is allowed. */
const FROM: Readonly<Record<Verb, { to: CallOffStatus; from: readonly CallOffStatus[] }>> = {
  pause: { to: 'paused', from: ['running'] },
  resume: { to: 'running', from: ['paused'] },
  retry: { to: 'running', from: ['completed_with_failures'] },
  abandon: { to: 'abandoned', from: ['running', 'paused', 'completed_with_failures'] },
  finish: { to: 'completed', from: ['running'] },
};

const PARTICIPLES: Readonly<Record<Verb, string>> = {
  pause: 'paused',
  resume: 'resumed',
  retry: 'retried',
  abandon: 'abandoned',
  finish: 'finished',
};

/** The operation that takes all bookings and reserved trips from a departure. Its items are the bookings and trips. */
@Entity('call_offs')
export class CallOff extends Audited implements Treatment {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'departure_id' }) departureId: string;
  @Column('text') status: CallOffStatus;
  @Column('text', { name: 'reason_code' }) reasonCode: CallOffReason;
  /** All customers read it. */
  @Impersonal()
  @Column('text')
  reason: string;
  /** What happens with bookings that no override names. */
  @Column('text') action: CallOffAction;
  @Column('text', { name: 'target_departure_id', nullable: true }) targetDepartureId: string | null;
  @Impersonal()
  @Column('text', { nullable: true })
  settle: SettlementChoice | null;
  @Column('boolean') reprice: boolean;
  /** Whether customers get a mail. */
  @Column('boolean') mails: boolean;
  /** What the mails to all customers add to their text. */
  @Impersonal()
  @Column('text', { nullable: true })
  note: string | null;
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(verb: Verb, now: Date, to: CallOffStatus = FROM[verb].to): void {
    const { status: from } = this;
    if (!FROM[verb].from.includes(from)) {
      const message = `A call-off that is ${from.replaceAll('_', ' ')} cannot be ${PARTICIPLES[verb]}`;
      throw conflict('invalid_transition', message, { from, to, allowed: allowedFrom(from) });
    }
    const endedAt = to === 'running' || to === 'paused' ? null : now;
    Object.assign(this, { status: to, endedAt, updatedAt: now });
  }
}

function allowedFrom(status: CallOffStatus): CallOffStatus[] {
  const next = Object.values(FROM).filter(({ from }) => from.includes(status));
  return next.map(({ to }) => to);
}
