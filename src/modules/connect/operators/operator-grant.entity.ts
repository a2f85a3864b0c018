import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { excessScopes } from '../../../platform/auth/scopes.js';
import { conflict } from '../../../platform/errors/app-error.js';

export const GRANT_STATUSES = named('GrantStatus', ['active', 'paused', 'revoked']);
export type GrantStatus = (typeof GRANT_STATUSES)[number];

/** Scopes granted to an operator until an expiry. They limit the scopes and the lifetime of the clients bound to the grant. */
@Entity('operator_grants')
export class OperatorGrant extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'operator_id' }) operatorId: string;
  @Column('text') status: GrantStatus;
  @Column('text', { array: true }) scopes: string[];
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt: Date | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** A revocation is final. */
  change(terms: Partial<Pick<OperatorGrant, 'scopes' | 'status' | 'expiresAt'>>, now: Date): void {
    if (this.status === 'revoked') throw conflict('grant_revoked', 'A revoked grant cannot be changed');
    Object.assign(this, terms, { updatedAt: now });
  }

  /** Rejects a client that exceeds the grant. A client without an expiry is valid: it ends with the grant. */
  assertFits(client: { scopes: readonly string[]; expiresAt: Date | null }, now: Date): void {
    const ended = this.expiresAt !== null && this.expiresAt <= now;
    if (this.status !== 'active' || ended) throw grantConflict('inactive', 'The grant is not active');

    const excess = excessScopes(this.scopes, client.scopes);
    if (excess.length > 0) throw grantConflict('scopes', 'The grant is narrower than the scopes of the client');

    const outlived = this.expiresAt !== null && client.expiresAt !== null && client.expiresAt > this.expiresAt;
    if (outlived) throw grantConflict('expiry', 'The grant ends earlier than the client');
  }
}

function grantConflict(reason: 'inactive' | 'scopes' | 'expiry', message: string): Error {
  return conflict('grant_conflict', message, { reason });
}
