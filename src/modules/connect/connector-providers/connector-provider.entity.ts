import { Column, Entity, PrimaryColumn } from 'typeorm';

export const PROVIDER_KEY = /^[a-z0-9-]{1,63}$/;

/** A kind of outside system that can be connected. */
@Entity('connector_providers')
export class ConnectorProvider {
  @PrimaryColumn('text') key: string;
  @Column('text') name: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('text', { array: true }) capabilities: string[];
  /** The form that an applicant fills in. `json` and not `jsonb`: its keys keep their order, and NUL passes. */
  @Column('json', { name: 'application_form_schema', nullable: true })
  applicationFormSchema: Record<string, unknown> | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;
}
