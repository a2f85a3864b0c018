import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Audited } from '../../../platform/database/audited.js';
import { DELETE, Impersonal, Rights } from '../../../platform/database/table-declarations.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { extensible, named } from '../../../platform/http/named-values.js';

export const EXTRA_KINDS = extensible('ProductExtraKind', ['service', 'meal', 'transport', 'insurance', 'equipment']);
export type ExtraKind = (typeof EXTRA_KINDS)[number];

export const EXTRA_PRICINGS = named('ProductExtraPricing', ['per_booking', 'per_person', 'per_unit_quantity']);
export type ExtraPricing = (typeof EXTRA_PRICINGS)[number];

/** The texts of an extra in one language. */
export interface ExtraText {
  locale: string;
  title: string | null;
  description: string | null;
}

export interface ExtraPrice {
  currency: string;
  amountCents: number;
}

export interface ExtraChanges {
  name?: string;
  texts?: ExtraText[];
  kind?: ExtraKind;
  pricing?: ExtraPricing;
  prices?: ExtraPrice[];
  taxCodeId?: string | null;
  required?: boolean;
  minQuantity?: number | null;
  maxQuantity?: number | null;
  optionIds?: string[] | null;
  position?: number;
  active?: boolean;
}

/** How much is sold together with an extra. */
export interface SoldTogether {
  people: number;
  units: number;
}

/** What is sold beside the units of a product: a meal, a transfer, an insurance. */
@Rights(DELETE)
@Entity('product_extras')
export class ProductExtra extends Audited {
  @PrimaryColumn('text') id: string;
  @Column('text', { name: 'product_id' }) productId: string;
  @Impersonal()
  @Column('text')
  name: string;
  @Impersonal()
  @Column('jsonb')
  texts: ExtraText[];
  @Column('text') kind: ExtraKind;
  @Impersonal()
  @Column('text')
  pricing: ExtraPricing;
  /** One for each currency, with tax. */
  @Impersonal()
  @Column('jsonb')
  prices: ExtraPrice[];
  /** Null means the tax code of the product. */
  @Column('text', { name: 'tax_code_id', nullable: true }) taxCodeId: string | null;
  /** Each sale of units has it. */
  @Column('boolean') required: boolean;
  @Column('integer', { name: 'min_quantity', nullable: true }) minQuantity: number | null;
  @Column('integer', { name: 'max_quantity', nullable: true }) maxQuantity: number | null;
  /** Options with which it is sold; null means all of them. */
  @Column('text', { name: 'option_ids', array: true, nullable: true }) optionIds: string[] | null;
  @Column('integer') position: number;
  @Column('boolean') active: boolean;
  @Column('integer') version: number;
  @Column('timestamptz', { name: 'created_at' }) createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt: Date;

  /** The title in the language, otherwise in its parent language; the name without either. */
  titleIn(language: string | null): string {
    const locales = language === null ? [] : [language, language.split('-')[0]];
    const titles = locales.map((locale) => this.texts.find((text) => text.locale === locale)?.title ?? null);
    return titles.find((title) => title !== null) ?? this.name;
  }

  change(changes: ExtraChanges, now: Date): void {
    Object.assign(this, changes, { updatedAt: now });
    this.assertConsistent();
  }

  assertConsistent(): void {
    if (this.minQuantity !== null && this.maxQuantity !== null && this.maxQuantity < this.minQuantity) {
      throw invalidField('maxQuantity', 'maxQuantity must not be below minQuantity', 'below_minimum');
    }
    assertUnique('prices', 'currency', this.prices);
    assertUnique('texts', 'locale', this.texts);
  }

  isSoldWith(optionId: string | null): boolean {
    return this.optionIds === null || (optionId !== null && this.optionIds.includes(optionId));
  }

  /** The price in the currency; null without one. 0 is a price. */
  priceIn(currency: string): number | null {
    return this.prices.find((price) => price.currency === currency)?.amountCents ?? null;
  }

  /** The quantity that the pricing gives: once, for each person, or for each unit. */
  fullQuantity({ people, units }: SoldTogether): number {
    switch (this.pricing) {
      case 'per_booking':
        return this.minQuantity ?? 1;
      case 'per_person':
        return people;
      case 'per_unit_quantity':
        return units;
    }
  }

  /**
   * The quantities that can be sold beside `sold` of the extra. The quantity is limited by the number of people or units; a required
   * extra is bought for all of them.
   */
  bounds(together: SoldTogether, sold: number): { min: number; max: number } {
    const full = this.fullQuantity(together);
    const least = this.minQuantity ?? 1;
    const min = Math.max(1, (this.required ? Math.max(full, least) : least) - sold);
    if (this.pricing === 'per_booking') return { min, max: Math.max(0, (this.maxQuantity ?? full) - sold) };
    const most = Math.max(0, full - sold);
    return { min, max: Math.min(most, this.maxQuantity ?? most) };
  }
}

function assertUnique<Row extends object>(list: string, member: keyof Row & string, rows: readonly Row[]): void {
  const again = rows.findIndex((row, index) => rows.findIndex((one) => one[member] === row[member]) < index);
  if (again < 0) return;
  throw invalidField(`${list}.${again}.${member}`, `Each ${member} can be named only once`, 'duplicate');
}
