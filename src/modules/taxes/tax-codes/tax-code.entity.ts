import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DELETE, Impersonal, Rights } from '../../../platform/database/table-declarations.js';
import { imageOf } from '../../../platform/database/audited.js';
import { conflict, invalidField } from '../../../platform/errors/app-error.js';
import { daysAfter } from '../../../platform/time/calendar.js';
import type { TaxKind } from './tax-kinds.js';

/** Documents with these kinds print a sentence that explains why no tax is shown. */
const WITH_MENTION: readonly TaxKind[] = ['exempt', 'reverse_charge', 'margin_scheme'];

/** Kinds with a rate; all others have a rate of 0. */
const WITH_RATE: readonly TaxKind[] = ['standard', 'reduced', 'margin_scheme'];

/** A tax rate from its first to its last day; without an end if that is null. */
export interface TaxRate {
  rateBasisPoints: number;
  validFrom: string;
  validTo: string | null;
}

export interface TaxCodeChanges {
  name?: string;
  mention?: string | null;
  active?: boolean;
}

/** The tax treatment of sales in a country. Code, country and kind never change, because documents refer to them. */
@Rights(DELETE)
@Entity('tax_codes')
export class TaxCode {
  @PrimaryColumn('text') id: string;
  @Column('text') code: string;
  @Impersonal()
  @Column('text')
  name: string;
  /** Country of supply. */
  @Column('text') country: string;
  @Column('text') kind: TaxKind;
  /** Printed on documents. */
  @Impersonal()
  @Column('text', { nullable: true })
  mention: string | null;
  @Column('boolean') active: boolean;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  change(changes: TaxCodeChanges, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
    this.assertMention();
  }

  assertMention(): void {
    if (this.mention !== null || !WITH_MENTION.includes(this.kind)) return;
    throw invalidField('mention', `A tax code of kind ${this.kind} requires a mention`, 'mention_required');
  }

  assertRate({ rateBasisPoints }: Pick<TaxRate, 'rateBasisPoints'>, path: string): void {
    if (rateBasisPoints === 0 || WITH_RATE.includes(this.kind)) return;
    throw invalidField(path, `The rate of a tax code of kind ${this.kind} is 0`, 'rate_of_kind');
  }

  /** Adds a rate to the sorted `rates`; the previous one ends on the day before. */
  withRate(rates: readonly TaxRate[], rate: Omit<TaxRate, 'validTo'>): TaxRate[] {
    this.assertRate(rate, 'rateBasisPoints');
    const last = rates.at(-1);
    if (last && last.validFrom >= rate.validFrom) {
      throw conflict('tax_rate_overlap', 'A rate that starts on that day or later already exists', {
        validFrom: last.validFrom,
      });
    }
    const isCut = last !== undefined && (last.validTo === null || last.validTo >= rate.validFrom);
    const earlier = isCut ? [...rates.slice(0, -1), { ...last, validTo: daysAfter(rate.validFrom, -1) }] : rates;
    return [...earlier, { ...rate, validTo: null }];
  }

  auditImage(rates: readonly TaxRate[]): object {
    return {
      ...imageOf(this),
      rates: rates.map(({ rateBasisPoints, validFrom, validTo }) => ({ rateBasisPoints, validFrom, validTo })),
    };
  }
}
