import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { APPEND, Personal, Rights } from '../../../platform/database/table-declarations.js';
import { named } from '../../../platform/http/named-values.js';

export const CONSENT_PURPOSES = named('ConsentPurpose', ['marketing_email', 'marketing_phone', 'health_data', 'photo']);
export type ConsentPurpose = (typeof CONSENT_PURPOSES)[number];

/** A consent of a customer, or its withdrawal. Never changed: the newest one of a purpose counts. */
@Entity('customer_consents')
@Rights(APPEND)
export class Consent extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'customer_id' }) customerId: string;
  @Column('text') purpose: ConsentPurpose;
  @Column('boolean') granted: boolean;
  /** How it was given: a form, a call, a signature. */
  @Personal('proof')
  @Column('text')
  source: string;
  /** Which version of the text the customer saw. */
  @Column('text', { name: 'text_version', nullable: true })
  textVersion: string | null;
  /** A withdrawal that a merge carried over to the survivor: the duplicate whose separation ends it. */
  @Column('text', { name: 'carried_from_id', nullable: true }) carriedFromId: string | null;
  @Column('timestamptz', { name: 'given_at' }) givenAt: Date;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
}
