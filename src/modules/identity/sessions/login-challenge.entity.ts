import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Rights } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

/** A login with the right password that waits for the second factor. Its id is a secret, of which the hash is stored. */
@Rights(DELETE)
@Entity('login_challenges')
@Unaudited('lives for minutes; security events record the login')
export class LoginChallenge {
  @PrimaryColumn('bytea', { name: 'id_hash' }) idHash: Buffer;
  @Column('text', { name: 'user_id' }) userId: string;
  @Column('integer', { name: 'tries_left' }) triesLeft: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
}
