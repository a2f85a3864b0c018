import { named } from '../../../platform/http/named-values.js';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Personal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import { conflict } from '../../../platform/errors/app-error.js';

export const OPERATOR_STATUSES = named('OperatorStatus', ['active', 'inactive']);
export type OperatorStatus = (typeof OPERATOR_STATUSES)[number];

/** The IDs of operators and grants are chosen by the client or the provisioning file that creates them. */
export const GIVEN_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** A partner company, or an internal department, on whose behalf OAuth clients act. */
@Entity('operators')
export class Operator extends Audited {
  @PrimaryColumn('text') id: string;
  @Personal('partner')
  @Column('text')
  name: string;
  @Column('text') status: OperatorStatus;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  assertActive(): void {
    if (this.status !== 'active') throw conflict('operator_inactive', 'The operator is inactive');
  }
}
