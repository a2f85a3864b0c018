import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A login with the right password that waits for the second factor. Its id is a secret, of which the hash is stored. */
@Entity('login_challenges')
export class LoginChallenge {
  @PrimaryColumn('bytea', { name: 'id_hash' }) idHash: Buffer;
  @Column('text', { name: 'user_id' }) userId: string;
  @Column('integer', { name: 'tries_left' }) triesLeft: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt: Date;
}
