import { createHash } from 'node:crypto';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Impersonal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { randomBase32 } from '../../../platform/ids/id.js';

/** The authenticator app of a user (RFC 6238). It is required at logins from its activation on. */
@Rights(DELETE)
@Entity('second_factors')
@Unaudited('a secret; security events record its changes')
export class SecondFactor {
  @PrimaryColumn('text', { name: 'user_id' }) userId: string;
  /** Sealed with the user's id: the secret of one user cannot be opened as another's. */
  @Impersonal()
  @Column('bytea', { name: 'sealed_secret' })
  sealedSecret: Buffer;
  /** The time step of the last accepted code: it and earlier steps are no longer accepted. */
  @Column('integer', { name: 'last_step' }) lastStep: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'activated_at', nullable: true }) activatedAt: Date | null;
  /** Number of consecutive wrong codes. It returns to 0 after the tenth, which stops codes for an hour. */
  @Column('integer', { name: 'wrong_codes' }) wrongCodes: number;
  @Column('timestamptz', { name: 'codes_stopped_until', nullable: true }) codesStoppedUntil: Date | null;
}

/** Replaces a code of the authenticator app once. */
@Rights(DELETE)
@Entity('recovery_codes')
@Unaudited('a secret; security events record its use')
export class RecoveryCode {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'user_id' }) userId: string;
  @Column('bytea', { name: 'code_hash' }) codeHash: Buffer;
  @Column('timestamptz', { name: 'used_at', nullable: true }) usedAt: Date | null;
}

/** Six groups of four base32 characters: with 120 random bits a fast hash is enough. */
export function newRecoveryCode(): string {
  return randomBase32(24).replace(/(.{4})(?=.)/g, '$1-');
}

/** The hash of a recovery code as people type it: in any case, with or without hyphens and spaces, with O for 0 and I or L for 1. */
export function hashRecoveryCode(userId: string, code: string): Buffer {
  const typed = code.toLowerCase().replace(/[\s-]/g, '').replaceAll('o', '0').replace(/[il]/g, '1');
  return createHash('sha256').update(`${userId} ${typed}`).digest();
}
