import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

/** A named key that encrypts single values. The keys themselves are its versions. */
@Entity('vaults')
@Unaudited('the entries of the vault record it, without keys')
export class Vault {
  @PrimaryColumn('text') id: string;
  @Column('text') slug: string;
  @Impersonal()
  @Column('text')
  name: string;
  /** The operator that owns it; null for the platform. */
  @Column('text', { name: 'operator_id', nullable: true }) operatorId: string | null;
  /** Versions below this one do not decrypt. */
  @Column('integer', { name: 'min_version' }) minVersion: number;
  @Column('integer', { name: 'latest_version' }) latestVersion: number;
  /** An archived vault neither encrypts nor decrypts until it is restored. */
  @Column('timestamptz', { name: 'archived_at', nullable: true }) archivedAt: Date | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
