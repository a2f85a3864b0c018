import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import type { Rows } from '../../../platform/database/rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import type { ListTaxCodes } from './tax-code.dto.js';
import { TaxCode, type TaxRate } from './tax-code.entity.js';

/** A tax code with its rates, the earliest first. */
export interface TaxCodeView {
  taxCode: TaxCode;
  rates: TaxRate[];
}

/** Selects the rates of the tax code `tax_code` as JSON. */
const RATES = `(select coalesce(json_agg(json_build_object('rateBasisPoints', rate.rate_basis_points,
    'validFrom', rate.valid_from, 'validTo', rate.valid_to) order by rate.valid_from), '[]')
  from tax_code_rates rate where rate.tax_code_id = tax_code.id)`;

/** Reads and writes tax codes and their rates. A transaction that writes rates must lock their tax code. */
@Injectable()
export class TaxCodesRepository {
  readonly rows: Rows<TaxCode>;

  constructor(private readonly database: Database) {
    this.rows = database.rows(TaxCode);
  }

  async get(id: string, details?: { field: string }): Promise<TaxCodeView> {
    const [found] = await this.database.read<TaxCode, { rates: TaxRate[] }>(TaxCode, {
      name: 'tax-code-get',
      text: `select ${this.rows.columns('tax_code')}, ${RATES} as rates from tax_codes tax_code where tax_code.id = $1`,
      values: [id],
    });
    if (!found) throw notFound(details);
    return { taxCode: found.entity, rates: found.raw.rates };
  }

  async lock(id: string): Promise<TaxCodeView> {
    await this.rows.lock(id);
    return this.get(id);
  }

  /** Sorts by country and code by default. */
  async list({ country, kind, active, on, ...query }: ListTaxCodes): Promise<{ views: TaxCodeView[]; total: number }> {
    const found = this.rows.query('tax_code');
    if (country !== undefined) found.andWhere('tax_code.country = :country', { country });
    filterRows(found, 'tax_code.kind', kind);
    if (active !== undefined) found.andWhere('tax_code.active = :active', { active });
    if (on !== undefined) {
      found.andWhere(
        `exists (select from tax_code_rates rate where rate.tax_code_id = tax_code.id
           and daterange(rate.valid_from, rate.valid_to, '[]') @> cast(:on as date))`,
        { on },
      );
    }
    sortRows(found, query.sort ?? 'country', { then: ['code'] });
    const { rows, total } = await this.rows.page(found, pageBounds(query));
    const rates = await this.ratesOf(rows.map(({ id }) => id));
    return { views: rows.map((taxCode) => ({ taxCode, rates: rates.get(taxCode.id) ?? [] })), total };
  }

  async insert({ taxCode, rates }: TaxCodeView): Promise<void> {
    await this.rows.insert(taxCode);
    await this.insertRates(taxCode, rates);
  }

  async update({ taxCode }: Pick<TaxCodeView, 'taxCode'>): Promise<void> {
    await this.rows.update(taxCode);
  }

  /** Unchanged rates keep the time at which they were added. */
  async replaceRates(taxCode: TaxCode, rates: readonly TaxRate[]): Promise<void> {
    await this.database.execute('delete from tax_code_rates where tax_code_id = $1 and valid_from <> all($2::date[])', [
      taxCode.id,
      rates.map(({ validFrom }) => validFrom),
    ]);
    await this.insertRates(taxCode, rates);
  }

  async delete({ id }: TaxCode): Promise<void> {
    await this.database.execute('delete from tax_code_rates where tax_code_id = $1', [id]);
    await this.database.execute('delete from tax_codes where id = $1', [id]);
  }

  /** Reads the existing tax codes. No rate can be added to them until the transaction ends. */
  async keepRates(ids: readonly string[]): Promise<TaxCodeView[]> {
    await this.database.prepared(
      'tax-codes-keep-rates',
      'select from tax_codes tax_code where tax_code.id = any($1) order by tax_code.id for key share',
      [ids],
    );
    const found = await this.database.read<TaxCode, { rates: TaxRate[] }>(TaxCode, {
      name: 'tax-codes-with-rates',
      text: `select ${this.rows.columns('tax_code')}, ${RATES} as rates from tax_codes tax_code where tax_code.id = any($1)`,
      values: [ids],
    });
    return found.map(({ entity, raw }) => ({ taxCode: entity, rates: raw.rates }));
  }

  async listByIds(ids: readonly string[]): Promise<TaxCode[]> {
    return this.rows.read({
      name: 'tax-codes-by-ids',
      text: `select ${this.rows.columns('tax_code')} from tax_codes tax_code where tax_code.id = any($1)`,
      values: [ids],
    });
  }

  private async ratesOf(ids: readonly string[]): Promise<Map<string, TaxRate[]>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.query<{ id: string; rates: TaxRate[] }>(
      `select tax_code.id, ${RATES} as rates from tax_codes tax_code where tax_code.id = any($1)`,
      [ids],
    );
    return new Map(rows.map(({ id, rates }) => [id, rates]));
  }

  private async insertRates({ id, kind }: TaxCode, rates: readonly TaxRate[]): Promise<void> {
    await this.database.execute(
      `insert into tax_code_rates (tax_code_id, kind, rate_basis_points, valid_from, valid_to)
       select $1, $2, rate."rateBasisPoints", rate."validFrom", rate."validTo"
       from json_to_recordset($3::json) rate ("rateBasisPoints" integer, "validFrom" date, "validTo" date)
       on conflict (tax_code_id, valid_from) do update
       set rate_basis_points = excluded.rate_basis_points, valid_to = excluded.valid_to`,
      [id, kind, JSON.stringify(rates)],
    );
  }
}
