import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

/** A device from which its user has logged in. Its token is stored as a hash. */
@Rights(DELETE)
@Entity('device_tokens')
@Unaudited('a secret; security events record the login')
export class DeviceToken {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'user_id' }) userId: string;
  @Column('bytea', { name: 'token_hash' }) tokenHash: Buffer;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'last_used_at' }) lastUsedAt: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
}
