import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Personal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';
import { type Role, ROLES } from './role.js';

export interface UserChanges {
  name?: string;
  roles?: readonly Role[];
  active?: boolean;
  language?: string | null;
}

/** A member of staff, who logs in with e-mail address and password. */
@Entity('users')
export class User extends Audited {
  @PrimaryColumn('text') id: string;
  @Personal('account')
  @Unaudited('personal data that no reversal restores')
  @Column('text')
  email: string;
  @Personal('account')
  @Column('text')
  name: string;
  @Personal('account')
  @Unaudited('a secret')
  @Column('text', { name: 'password_hash' })
  passwordHash: string;
  /** Another person has set or knows the password, so the user must first change it. */
  @Unaudited('set and cleared with the password, which is a secret')
  @Column('boolean', { name: 'password_change_required' })
  passwordChangeRequired: boolean;
  @Column('text', { array: true }) roles: Role[];
  /** Preferred language of mails (BCP 47); null for the default. */
  @Column('text', { nullable: true }) language: string | null;
  @Column('boolean') active: boolean;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  isActiveOwner(): boolean {
    return this.active && this.roles.includes('owner');
  }

  change(changes: UserChanges, now: Date): void {
    const { name = this.name, roles = this.roles, active = this.active, language = this.language } = changes;
    Object.assign(this, { name, roles: inOrder(roles), active, language, updatedAt: now });
  }

  /** Sets a password that the user has chosen. */
  setPassword(passwordHash: string, now: Date): void {
    Object.assign(this, { passwordHash, passwordChangeRequired: false, updatedAt: now });
  }

  /** Marks the current password as known to another person. */
  requireNewPassword(now: Date): void {
    Object.assign(this, { passwordChangeRequired: true, updatedAt: now });
  }

  /** The recipient of mails about the account. */
  mailAddress(): { recipient: string; name: string; language: string | null } {
    return { recipient: this.email, name: this.name, language: this.language };
  }
}

/** Returns each role once, in the order of ROLES. */
export function inOrder(roles: readonly Role[]): Role[] {
  return ROLES.filter((role) => roles.includes(role));
}
