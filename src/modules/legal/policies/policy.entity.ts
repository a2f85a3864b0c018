import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import type { PolicyKind } from './policy-kind.js';

/** The members that can be changed. The kind is fixed, because assignments of a kind must not overlap. */
interface PolicyChanges {
  name?: string;
  slug?: string;
  language?: string;
}

/** Terms of one kind. Its versions contain the text; at most one of them is published. */
@Entity('policies')
export class Policy extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text') kind: PolicyKind;
  @Impersonal()
  @Column('text')
  name: string;
  @Column('text') slug: string;
  @Column('text') language: string;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: PolicyChanges, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
  }
}

export interface PolicyView {
  policy: Policy;
  /** Id of the published version. */
  currentVersionId: string | null;
}
