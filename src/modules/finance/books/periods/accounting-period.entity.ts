import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal } from '../../../../platform/database/table-declarations.js';
import { imageOf } from '../../../../platform/database/audited.js';
import { conflict } from '../../../../platform/errors/app-error.js';
import { named } from '../../../../platform/http/named-values.js';

export const PERIOD_STATUSES = named('AccountingPeriodStatus', ['open', 'closed', 'filed']);
export type PeriodStatus = (typeof PERIOD_STATUSES)[number];

/** A month of the books, `YYYY-MM`. Nothing is posted in a closed one. */
@Entity('accounting_periods')
export class AccountingPeriod {
  @PrimaryColumn('text', { name: 'period' }) id: string;
  @Column('text') status: PeriodStatus;
  @Column('timestamptz', { name: 'closed_at', nullable: true }) closedAt: Date | null;
  @Column('text', { name: 'closed_by', nullable: true }) closedBy: string | null;
  @Column('timestamptz', { name: 'filed_at', nullable: true }) filedAt: Date | null;
  @Column('text', { name: 'filed_by', nullable: true }) filedBy: string | null;
  @Impersonal()
  @Column('text', { name: 'filing_reference', nullable: true })
  filingReference: string | null;
  /** The definition of the stored figures. */
  @Column('integer', { name: 'figures_definition' }) figuresDefinition: number;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  close(actorId: string, { figuresDefinition, now }: { figuresDefinition: number; now: Date }): void {
    this.assertStatus('open', 'closed');
    Object.assign(this, { status: 'closed', closedAt: now, closedBy: actorId, figuresDefinition, updatedAt: now });
  }

  reopen(now: Date): void {
    this.assertStatus('closed', 'open');
    Object.assign(this, { status: 'open', closedAt: null, closedBy: null, updatedAt: now });
  }

  /** Marks the period as final: its figures were reported to the tax office under this reference. */
  file(reference: string, actorId: string, now: Date): void {
    this.assertStatus('closed', 'filed');
    Object.assign(this, {
      status: 'filed',
      filedAt: now,
      filedBy: actorId,
      filingReference: reference,
      updatedAt: now,
    });
  }

  auditImage(): object {
    return { ...imageOf(this), period: this.id };
  }

  private assertStatus(from: PeriodStatus, to: PeriodStatus): void {
    if (this.status === from) return;
    const allowed = { open: ['closed'], closed: ['open', 'filed'], filed: [] }[this.status];
    throw conflict('invalid_transition', `An accounting period cannot go from ${this.status} to ${to}`, {
      from: this.status,
      to,
      allowed,
    });
  }
}
