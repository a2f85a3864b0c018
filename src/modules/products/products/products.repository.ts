import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { filterRows } from '../../../platform/database/filter-rows.js';
import { containsWordsSql } from '../../../platform/database/like.js';
import type { Rows } from '../../../platform/database/rows.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { pageBounds } from '../../../platform/http/dto.js';
import type { ListProducts } from './product.dto.js';
import { Product } from './product.entity.js';
import type { ListProductExtras } from './product-extra.dto.js';
import { ProductExtra } from './product-extra.entity.js';
import type { ListProductQuestions } from './product-question.dto.js';
import { ProductQuestion } from './product-question.entity.js';
import type { ListProductOptions } from './product-option.dto.js';
import { ProductOption } from './product-option.entity.js';
import type { ListProductUnits } from './product-unit.dto.js';
import { ProductUnit } from './product-unit.entity.js';

/** Reads and writes products with their options, units, extras and questions. */
@Injectable()
export class ProductsRepository {
  readonly products: Rows<Product>;
  readonly options: Rows<ProductOption>;
  readonly units: Rows<ProductUnit>;
  readonly extras: Rows<ProductExtra>;
  readonly questions: Rows<ProductQuestion>;

  constructor(private readonly database: Database) {
    this.products = database.rows(Product);
    this.options = database.rows(ProductOption);
    this.units = database.rows(ProductUnit);
    this.extras = database.rows(ProductExtra);
    this.questions = database.rows(ProductQuestion);
  }

  async list(query: ListProducts): Promise<{ rows: Product[]; total: number }> {
    const { search, kind, status = ['draft', 'active'], sort = 'name' } = query;
    const found = this.products.query('product');
    filterRows(found, 'product.status', status);
    filterRows(found, 'product.kind', kind);
    if (search !== undefined) found.andWhere(containsWordsSql('product.search_text', ':search'), { search });
    sortRows(found, sort);
    return this.products.page(found, pageBounds(query));
  }

  async listOptions(productId: string, query: ListProductOptions): Promise<{ rows: ProductOption[]; total: number }> {
    const { active, sort = 'position' } = query;
    const found = this.options.query('option').where('option.productId = :productId', { productId });
    if (active !== undefined) found.andWhere('option.active = :active', { active });
    sortRows(found, sort);
    return this.options.page(found, pageBounds(query));
  }

  async listUnits(productId: string, query: ListProductUnits): Promise<{ rows: ProductUnit[]; total: number }> {
    const { type, sort = 'position' } = query;
    const found = this.units.query('unit').where('unit.productId = :productId', { productId });
    filterRows(found, 'unit.type', type);
    sortRows(found, sort);
    return this.units.page(found, pageBounds(query));
  }

  async listExtras(productId: string, query: ListProductExtras): Promise<{ rows: ProductExtra[]; total: number }> {
    const { kind, active, sort = 'position' } = query;
    const found = this.extras.query('extra').where('extra.productId = :productId', { productId });
    filterRows(found, 'extra.kind', kind);
    if (active !== undefined) found.andWhere('extra.active = :active', { active });
    sortRows(found, sort);
    return this.extras.page(found, pageBounds(query));
  }

  async listQuestions(
    productId: string,
    query: ListProductQuestions,
  ): Promise<{ rows: ProductQuestion[]; total: number }> {
    const { scope, active, sort = 'position' } = query;
    const found = this.questions.query('question').where('question.productId = :productId', { productId });
    filterRows(found, 'question.scope', scope);
    if (active !== undefined) found.andWhere('question.active = :active', { active });
    sortRows(found, sort);
    return this.questions.page(found, pageBounds(query));
  }

  async listKnown(ids: readonly string[]): Promise<string[]> {
    const text = 'select id from products where id = any($1)';
    return (await this.database.prepared<{ id: string }>('products-known', text, [ids])).map(({ id }) => id);
  }

  async listActive(after: string, limit: number): Promise<string[]> {
    const text = `select id from products where status = 'active' and id > $1 order by id limit $2`;
    const rows = await this.database.prepared<{ id: string }>('products-active', text, [after, limit]);
    return rows.map(({ id }) => id);
  }

  /** Active products: all of them, or those with the IDs; in the order of their names. */
  async listSold(ids: readonly string[] | null, limit: number): Promise<Product[]> {
    return this.products.read({
      name: 'products-sold',
      text: `select ${this.products.columns('product')} from products as product
        where status = 'active' and ($1::text[] is null or id = any($1)) order by name, id limit $2`,
      values: [ids, limit],
    });
  }

  async optionsOfAll(productIds: readonly string[]): Promise<ProductOption[]> {
    return this.options.read({
      name: 'product-options-of-all',
      text: `select ${this.options.columns('option')} from product_options as option
        where product_id = any($1) order by position, id`,
      values: [productIds],
    });
  }

  async unitsOfAll(productIds: readonly string[]): Promise<ProductUnit[]> {
    return this.units.read({
      name: 'product-units-of-all',
      text: `select ${this.units.columns('unit')} from product_units as unit
        where product_id = any($1) order by position, id`,
      values: [productIds],
    });
  }

  /** All options of a product; at most 50. */
  async optionsOf(productId: string): Promise<ProductOption[]> {
    return this.options.listBy({ productId }, ['position', 'id']);
  }

  /** All units of a product; at most 50. */
  async unitsOf(productId: string): Promise<ProductUnit[]> {
    return this.units.listBy({ productId }, ['position', 'id']);
  }

  /** All extras of a product; at most 50. */
  async extrasOf(productId: string): Promise<ProductExtra[]> {
    return this.extras.listBy({ productId }, ['position', 'id']);
  }

  /** All questions of a product; at most 50. */
  async questionsOf(productId: string): Promise<ProductQuestion[]> {
    return this.questions.listBy({ productId }, ['position', 'id']);
  }

  /** None of these questions changes until the transaction ends. Returns their versions. */
  async lockQuestions(ids: readonly string[]): Promise<Map<string, number>> {
    const lock = 'select id, version from product_questions where id = any($1) order by id for share';
    const locked = await this.database.query<{ id: string; version: number }>(lock, [ids]);
    return new Map(locked.map(({ id, version }) => [id, version]));
  }

  /** None of the extras of the product is deleted until the transaction ends. */
  async lockExtras(productId: string): Promise<void> {
    const lock = 'select from product_extras where product_id = $1 order by id for key share';
    await this.database.prepared('product-extras-lock', lock, [productId]);
  }

  /** None of these units is deleted until the transaction ends. */
  async lockUnits(ids: readonly string[]): Promise<void> {
    const lock = 'select from product_units where id = any($1) order by id for key share';
    await this.database.prepared('product-units-lock', lock, [ids]);
  }

  async getOption(productId: string, id: string): Promise<ProductOption> {
    const option = await this.options.get(id);
    if (option.productId !== productId) throw notFound();
    return option;
  }

  async getUnit(productId: string, id: string): Promise<ProductUnit> {
    const unit = await this.units.get(id);
    if (unit.productId !== productId) throw notFound();
    return unit;
  }

  async getExtra(productId: string, id: string): Promise<ProductExtra> {
    const extra = await this.extras.get(id);
    if (extra.productId !== productId) throw notFound();
    return extra;
  }

  async getQuestion(productId: string, id: string): Promise<ProductQuestion> {
    const question = await this.questions.get(id);
    if (question.productId !== productId) throw notFound();
    return question;
  }

  async deleteOption({ id }: ProductOption): Promise<void> {
    await this.database.prepared('product-option-delete', 'delete from product_options where id = $1', [id]);
  }

  async deleteUnit({ id }: ProductUnit): Promise<void> {
    await this.database.prepared('product-unit-delete', 'delete from product_units where id = $1', [id]);
  }

  async deleteExtra({ id }: ProductExtra): Promise<void> {
    await this.database.prepared('product-extra-delete', 'delete from product_extras where id = $1', [id]);
  }

  /** Also deletes its versions. */
  async deleteQuestion({ id }: ProductQuestion): Promise<void> {
    await this.database.prepared('product-question-delete', 'delete from product_questions where id = $1', [id]);
  }
}
