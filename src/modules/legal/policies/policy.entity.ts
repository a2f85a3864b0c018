import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PolicyKind } from './policy-kind.js';

/** What may change. The kind may not: assignments stand beside others of their kind. */
export interface PolicyTerms {
  name: string;
  slug: string;
  language: string;
}

/** Terms of one kind; what they say stands in its versions, of which one at most is published. */
@Entity('policies')
export class Policy implements PolicyTerms {
  @PrimaryColumn('text') id: string;
  @Column('text') kind: PolicyKind;
  @Column('text') name: string;
  @Column('text') slug: string;
  @Column('text') language: string;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;
}
