import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal, Personal } from '../../../platform/database/table-declarations.js';
import { imageOf } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { digestOf, sanitizeBody } from '../texts/document-text.js';

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

/** The other party signs; nothing leads to `executed` yet, for which the organization would sign as well. */
const TRANSITIONS: Record<ContractStatus, readonly ContractStatus[]> = {
  draft: ['issued', 'void'],
  issued: ['sent', 'expired', 'void'],
  sent: ['signed', 'expired', 'void'],
  signed: [],
  executed: [],
  expired: [],
  void: [],
};

/** Public access ends after this number of months, unless the contract has its own date. */
const PUBLIC_MONTHS = 12;
const MAX_PUBLIC_MONTHS = 120;

/** The fields of a draft that can be changed. */
export interface ContractChanges {
  title?: string;
  contractNumber?: string | null;
  body?: string;
  language?: string;
  scope?: ContractScope;
  bookingId?: string | null;
  expiresAt?: Date | null;
  publicUntil?: Date | null;
  recipientName?: string | null;
  recipientEmail?: string | null;
  metadata?: Record<string, unknown> | null;
}

/** How the other party signed by clicking (a simple electronic signature, Regulation (EU) 910/2014, Article 3(10)). */
export interface ClickSignature {
  /** Name as typed. */
  signerName: string;
  /** What the signer declared, in the language of the page. */
  signedStatement: string;
  signerAddress: string | null;
  signerAgent: string | null;
}

/** A document between the organization and a customer, supplier or partner. */
@Entity('contracts')
export class Contract {
  /** The reference names the contract in events, ledger entries and logs, and grants no access. */
  @PrimaryColumn('text') id: string;
  /** Opens the contract without a credential. The API calls it `id`; no other field may contain it. */
  @Unaudited('opens the contract')
  @Column('text', { name: 'public_id' })
  publicId: string;
  @Column('text', { name: 'booking_id', nullable: true }) bookingId: string | null;
  @Personal('contract')
  @Column('text')
  title: string;
  @Column('text') status: ContractStatus;
  @Column('text', { name: 'contract_number', nullable: true }) contractNumber: string | null;
  @Personal('contract')
  @Unaudited('a long text with personal data; `bodySha256` proves it')
  @Column('text')
  body: string;
  @Column('text', { name: 'body_sha256', nullable: true }) bodySha256: string | null;
  @Column('text') language: string;
  @Column('text') scope: ContractScope;
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  /** End of public access. The issue sets it if the draft did not. */
  @Column('timestamptz', { name: 'public_until', nullable: true }) publicUntil: Date | null;
  @Column('timestamptz', { name: 'withdrawn_at', nullable: true }) withdrawnAt: Date | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'recipient_name', nullable: true })
  recipientName: string | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'recipient_email', nullable: true })
  recipientEmail: string | null;
  @Personal('contract')
  @Unaudited('may contain personal data')
  @Column('jsonb', { nullable: true })
  metadata: Record<string, unknown> | null;
  @Column('timestamptz', { name: 'issued_at', nullable: true }) issuedAt: Date | null;
  @Column('timestamptz', { name: 'sent_at', nullable: true }) sentAt: Date | null;
  @Column('timestamptz', { name: 'signed_at', nullable: true }) signedAt: Date | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'signer_name', nullable: true })
  signerName: string | null;
  @Impersonal()
  @Column('text', { name: 'signed_statement', nullable: true })
  signedStatement: string | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'signer_address', nullable: true })
  signerAddress: string | null;
  @Personal('contract')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'signer_agent', nullable: true })
  signerAgent: string | null;
  @Column('timestamptz', { name: 'expired_at', nullable: true }) expiredAt: Date | null;
  @Column('timestamptz', { name: 'voided_at', nullable: true }) voidedAt: Date | null;
  @Personal('contract')
  @Unaudited('free text; the reason of the entry')
  @Column('text', { name: 'void_reason', nullable: true })
  voidReason: string | null;
  /** When the text and the recipient were erased; the digest of the text stays. */
  @Unaudited('the retention job records its own entry')
  @Column('timestamptz', { name: 'erased_at', nullable: true })
  erasedAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: ContractChanges, now: Date): void {
    if (this.status !== 'draft') {
      throw conflict('contract_locked', 'Only a draft can be changed', { status: this.status });
    }
    if (changes.publicUntil) assertPublicUntil(changes.publicUntil, now);
    Object.assign(this, changes, { updatedAt: now });
  }

  /** Sanitizes and freezes the text with its digest. */
  issue(contractNumber: string, now: Date): void {
    this.move('issued', now);
    this.contractNumber = contractNumber;
    this.body = sanitizeBody(this.body);
    this.bodySha256 = digestOf(this.body);
    this.issuedAt = now;
    this.publicUntil ??= inMonths(now, PUBLIC_MONTHS);
  }

  /** Records a dispatch to this address. */
  send(recipientEmail: string, now: Date): void {
    this.assertPublic(now);
    if (this.status === 'sent') this.updatedAt = now;
    else this.move('sent', now);
    this.recipientEmail = recipientEmail;
    this.sentAt ??= now;
  }

  /** The other party signs the frozen text. Requires that it was sent, and that its public access has not ended. */
  sign(signature: ClickSignature, now: Date): void {
    this.assertPublic(now);
    if (this.expiresAt !== null && this.expiresAt <= now) {
      throw conflict('contract_expired', 'The contract has expired', { expiresAt: this.expiresAt.toISOString() });
    }
    this.move('signed', now);
    Object.assign(this, signature, { signedAt: now });
  }

  void(reason: string, now: Date): void {
    this.move('void', now);
    this.voidReason = reason;
    this.voidedAt = now;
  }

  /** Ends public access. Does nothing if it was already withdrawn. */
  withdraw(now: Date): void {
    if (this.issuedAt === null) {
      throw conflict('invalid_transition', 'A contract that was not issued has no public access', {
        from: this.status,
        to: 'withdrawn',
        allowed: TRANSITIONS[this.status],
      });
    }
    this.withdrawnAt ??= now;
    this.updatedAt = now;
  }

  /** Reverses a withdrawal. */
  restoreAccess(now: Date): void {
    if (this.withdrawnAt === null) throw conflict('not_withdrawn', 'Public access is not withdrawn');
    this.withdrawnAt = null;
    this.updatedAt = now;
  }

  assertCanBecome(status: ContractStatus): void {
    const allowed = TRANSITIONS[this.status];
    if (allowed.includes(status)) return;
    throw conflict('invalid_transition', `A contract cannot go from ${this.status} to ${status}`, {
      from: this.status,
      to: status,
      allowed,
    });
  }

  /**
   * The snapshot omits personal data and the text, which its digest proves. It omits the public id, because that opens the
   * contract.
   */
  auditImage(): object {
    return { ...imageOf(this), bodySha256: this.bodySha256 ?? digestOf(this.body) };
  }

  /** Prevents mails whose link would not work. */
  private assertPublic(now: Date): void {
    if (this.withdrawnAt === null && this.publicUntil !== null && this.publicUntil > now) return;
    throw conflict('public_access_ended', 'Public access to the contract has ended', {
      publicUntil: this.publicUntil?.toISOString() ?? null,
      withdrawnAt: this.withdrawnAt?.toISOString() ?? null,
    });
  }

  private move(status: ContractStatus, now: Date): void {
    this.assertCanBecome(status);
    this.status = status;
    this.updatedAt = now;
  }
}

/** The instant must be in the future, but not too far away. */
export function assertPublicUntil(publicUntil: Date, now: Date): void {
  if (publicUntil > now && publicUntil <= inMonths(now, MAX_PUBLIC_MONTHS)) return;
  throw invalidField('publicUntil', 'publicUntil must be in the future, at most 10 years from now', 'out_of_range');
}

function inMonths(instant: Date, months: number): Date {
  const later = new Date(instant);
  later.setUTCMonth(later.getUTCMonth() + months);
  return later;
}
