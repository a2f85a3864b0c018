import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';

export const PROVIDER_KEY = /^[a-z0-9-]{1,63}$/;

/** A type of external system that can be connected. */
@Entity('connector_providers')
export class ConnectorProvider extends Audited {
  @PrimaryColumn('text') key: string;
  @Impersonal()
  @Column('text')
  name: string;
  /** The operator that owns it; null for the platform. */
  @Column('text', { name: 'operator_id', nullable: true }) operatorId: string | null;
  @Impersonal()
  @Column('text', { nullable: true })
  description: string | null;
  @Column('text', { array: true }) capabilities: string[];
  /** Definition of the form for applicants. The column is `json`, because `jsonb` would reorder the keys and reject NUL. */
  @Impersonal()
  @Column('json', { name: 'application_form_schema', nullable: true })
  applicationFormSchema: Record<string, unknown> | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;
}
