import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Impersonal, Personal } from '../../../platform/database/table-declarations.js';
import { Audited } from '../../../platform/database/audited.js';
import { Unaudited } from '../../../platform/database/unaudited.js';

export interface GroundOperatorChanges {
  name?: string;
  code?: string | null;
  active?: boolean;
  facilityId?: string | null;
  contactName?: string | null;
  contactEmail?: string | null;
  contactPhone?: string | null;
  serviceAreas?: string[];
  licenseNumber?: string | null;
  insuranceExpiresOn?: string | null;
  timeZone?: string | null;
  notes?: string | null;
}

/** A local partner that runs transfers and tours. */
@Entity('ground_operators')
export class GroundOperator extends Audited {
  @PrimaryColumn('text') id: string;
  @Personal('partner')
  @Column('text')
  name: string;
  @Column('text', { nullable: true }) code: string | null;
  @Column('boolean') active: boolean;
  /** Home base. */
  @Column('text', { name: 'facility_id', nullable: true }) facilityId: string | null;
  @Personal('partner')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'contact_name', nullable: true })
  contactName: string | null;
  @Personal('partner')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'contact_email', nullable: true })
  contactEmail: string | null;
  @Personal('partner')
  @Unaudited('personal data that no reversal restores')
  @Column('text', { name: 'contact_phone', nullable: true })
  contactPhone: string | null;
  @Impersonal()
  @Column('text', { name: 'service_areas', array: true })
  serviceAreas: string[];
  @Personal('partner')
  @Column('text', { name: 'license_number', nullable: true })
  licenseNumber: string | null;
  @Column('date', { name: 'insurance_expires_on', nullable: true }) insuranceExpiresOn: string | null;
  @Column('text', { name: 'time_zone', nullable: true }) timeZone: string | null;
  @Personal('partner')
  @Unaudited('free text that may contain personal data')
  @Column('text', { nullable: true })
  notes: string | null;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: GroundOperatorChanges, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
  }
}
