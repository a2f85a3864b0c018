import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Personal, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

/** A login. It ends by logout, after a time without use, or at the latest at `expiresAt`. */
@Rights(DELETE)
@Entity('staff_sessions')
@Unaudited('security events record its start and end')
export class StaffSession {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'public_id' }) publicId: string;
  @Column('bytea', { name: 'secret_hash' }) secretHash: Buffer;
  @Column('text', { name: 'user_id' }) userId: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
  @Column('timestamptz', { name: 'last_used_at' }) lastUsedAt: Date;
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt: Date | null;
  /** Address and user agent of the login. */
  @Personal('security')
  @Column('text', { nullable: true })
  address: string | null;
  @Personal('security')
  @Column('text', { name: 'user_agent', nullable: true })
  userAgent: string | null;
  @Column('text', { name: 'device_id', nullable: true }) deviceId: string | null;
  /** Time at which the user last proved the second factor in the session. */
  @Column('timestamptz', { name: 'second_factor_at', nullable: true }) secondFactorAt: Date | null;
}
