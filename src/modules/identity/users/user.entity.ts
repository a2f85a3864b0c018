import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Role } from './role.js';

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
}
