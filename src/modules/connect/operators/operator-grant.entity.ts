import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { excessScopes } from '../../../platform/auth/scopes.js';
import { conflict } from '../../../platform/errors/app-error.js';

export const GRANT_STATUSES = named('GrantStatus', ['active', 'paused', 'revoked']);
export type GrantStatus = (typeof GRANT_STATUSES)[number];

/** What an operator is permitted: these scopes, until that time. Clients bound to it can do no more and live no longer. */
@Entity('operator_grants')
export class OperatorGrant {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'operator_id' }) operatorId: string;
  @Column('text') status: GrantStatus;
  @Column('text', { array: true }) scopes: string[];
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** Throws 409 `grant_revoked`: what was revoked stays so. */
  change(terms: Partial<Pick<OperatorGrant, 'scopes' | 'status' | 'expiresAt'>>, now: Date): void {
    if (this.status === 'revoked') throw conflict('grant_revoked', 'A revoked grant cannot be changed');
    Object.assign(this, terms, { updatedAt: now });
  }

  /**
   * Throws 409 `grant_conflict` unless the client fits: `details.reason` is inactive, scopes or expiry. A client without
   * an end of its own ends with the grant, so it fits.
   */
  assertFits(client: { scopes: readonly string[]; expiresAt: Date | null }, now: Date): void {
    const ended = this.expiresAt !== null && this.expiresAt <= now;
    if (this.status !== 'active' || ended) throw misfit('inactive', 'The grant is not active');

    const excess = excessScopes(this.scopes, client.scopes);
    if (excess.length > 0) throw misfit('scopes', 'The grant is narrower than the scopes of the client');

    const outlived = this.expiresAt !== null && client.expiresAt !== null && client.expiresAt > this.expiresAt;
    if (outlived) throw misfit('expiry', 'The grant ends earlier than the client');
  }
}

function misfit(reason: 'inactive' | 'scopes' | 'expiry', message: string): Error {
  return conflict('grant_conflict', message, { reason });
}
