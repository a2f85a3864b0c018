import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type Role, ROLES } from './role.js';

export interface UserChanges {
  name?: string;
  roles?: readonly Role[];
  active?: boolean;
  passwordHash?: string;
}

/** A member of staff, who logs in with e-mail address and password. */
@Entity('users')
export class User {
  @PrimaryColumn('text') id: string;
  @Column('text') email: string;
  @Column('text') name: string;
  @Column('text', { name: 'password_hash' }) passwordHash: string;
  @Column('text', { array: true }) roles: Role[];
  @Column('boolean') active: boolean;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  isActiveOwner(): boolean {
    return this.active && this.roles.includes('owner');
  }

  change(changes: UserChanges, now: Date): void {
    const { name = this.name, roles = this.roles, active = this.active, passwordHash = this.passwordHash } = changes;
    Object.assign(this, { name, roles: inOrder(roles), active, passwordHash, updatedAt: now });
  }

  /** The state that the audit log keeps. The e-mail address never changes. */
  auditImage(): object {
    const { name, roles, active, version } = this;
    return { name, roles, active, version };
  }
}

/** Each role once, in the order of ROLES. */
export function inOrder(roles: readonly Role[]): Role[] {
  return ROLES.filter((role) => roles.includes(role));
}
