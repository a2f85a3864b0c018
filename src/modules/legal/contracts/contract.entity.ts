import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { conflict } from '../../../platform/errors/app-error.js';
import { digestOf, sanitizeBody } from './contract-body.js';

export const CONTRACT_STATUSES = named('ContractStatus', [
  'draft',
  'issued',
  'sent',
  'signed',
  'executed',
  'expired',
  'void',
]);
export type ContractStatus = (typeof CONTRACT_STATUSES)[number];

export const CONTRACT_SCOPES = named('ContractScope', ['customer', 'supplier', 'partner', 'channel', 'other']);
export type ContractScope = (typeof CONTRACT_SCOPES)[number];

/** Signing is not built yet; a signed contract only stays what it is. */
const MOVES: Record<ContractStatus, readonly ContractStatus[]> = {
  draft: ['issued', 'void'],
  issued: ['sent', 'expired', 'void'],
  sent: ['expired', 'void'],
  signed: [],
  executed: [],
  expired: [],
  void: [],
};

/** What may change while it is a draft. */
export interface ContractTerms {
  title: string;
  contractNumber: string | null;
  body: string;
  language: string;
  scope: ContractScope;
  expiresAt: Date | null;
  recipientName: string | null;
  recipientEmail: string | null;
  metadata: Record<string, unknown> | null;
}

/** A document between us and a customer, supplier or partner. */
@Entity('contracts')
export class Contract implements ContractTerms {
  @PrimaryColumn('text') id: string;
  @Column('text') title: string;
  @Column('text') status: ContractStatus;
  @Column('text', { name: 'contract_number', nullable: true }) contractNumber: string | null;
  @Column('text') body: string;
  @Column('text', { name: 'body_sha256', nullable: true }) bodySha256: string | null;
  @Column('text') language: string;
  @Column('text') scope: ContractScope;
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('text', { name: 'recipient_name', nullable: true }) recipientName: string | null;
  @Column('text', { name: 'recipient_email', nullable: true }) recipientEmail: string | null;
  @Column('jsonb', { nullable: true }) metadata: Record<string, unknown> | null;
  @Column('timestamptz', { name: 'issued_at', nullable: true }) issuedAt: Date | null;
  @Column('timestamptz', { name: 'sent_at', nullable: true }) sentAt: Date | null;
  @Column('timestamptz', { name: 'expired_at', nullable: true }) expiredAt: Date | null;
  @Column('timestamptz', { name: 'voided_at', nullable: true }) voidedAt: Date | null;
  @Column('text', { name: 'void_reason', nullable: true }) voidReason: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Throws 409 `contract_locked` once it is no draft any more. */
  change(changes: Partial<ContractTerms>, now: Date): void {
    if (this.status !== 'draft') {
      throw conflict('contract_locked', 'Only a draft can be changed', { status: this.status });
    }
    Object.assign(this, changes, { updatedAt: now });
  }

  /** Freezes the text, made harmless, with its digest, under its number. Throws 409 `invalid_transition`. */
  issue(contractNumber: string, now: Date): void {
    this.move('issued', now);
    this.contractNumber = contractNumber;
    this.body = sanitizeBody(this.body);
    this.bodySha256 = digestOf(this.body);
    this.issuedAt = now;
  }

  /** Notes that it goes to this address; the first time it becomes sent. Throws 409 `invalid_transition`. */
  send(recipientEmail: string, now: Date): void {
    if (this.status === 'sent') this.updatedAt = now;
    else this.move('sent', now);
    this.recipientEmail = recipientEmail;
    this.sentAt ??= now;
  }

  /** Throws 409 `invalid_transition`. */
  void(reason: string, now: Date): void {
    this.move('void', now);
    this.voidReason = reason;
    this.voidedAt = now;
  }

  /** Throws 409 `invalid_transition` unless this state may follow the present one. */
  assertCanBecome(status: ContractStatus): void {
    const allowed = MOVES[this.status];
    if (allowed.includes(status)) return;
    throw conflict('invalid_transition', `A contract cannot go from ${this.status} to ${status}`, {
      from: this.status,
      to: status,
      allowed,
    });
  }

  private move(status: ContractStatus, now: Date): void {
    this.assertCanBecome(status);
    this.status = status;
    this.updatedAt = now;
  }
}
