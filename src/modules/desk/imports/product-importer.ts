import { Injectable } from '@nestjs/common';
import { checkedAs } from '../../../platform/http/format-check.js';
import { CreateProduct, CreateProductUnit, ProductsService, ProductUnitsService } from '../../products/index.js';
import { assertSame, cellsOf, ofLine, type RecordImporter, required, text, whole } from './import-cells.js';
import type { ImportedRecord, ImportRow } from './import-record.entity.js';

const OF_PRODUCT = [
  'id',
  'name',
  'kind',
  'timeZone',
  'durationMinutes',
  'defaultCapacity',
  'minParticipants',
  'taxCodeId',
];
const OF_UNIT = ['unitName', 'unitType', 'minAge', 'maxAge', 'seats', 'paxCount'];

/** Imports products as drafts, each with a unit for each of its lines that names one. */
@Injectable()
export class ProductImporter implements RecordImporter {
  readonly kind = 'products';
  readonly columns = { required: ['name', 'kind', 'timeZone'], optional: [...OF_PRODUCT.slice(4), 'id', ...OF_UNIT] };
  readonly scopes = ['products:write'];
  readonly columnOf = {};

  constructor(
    private readonly products: ProductsService,
    private readonly units: ProductUnitsService,
  ) {}

  async run(rows: readonly [ImportRow, ...ImportRow[]]): Promise<ImportedRecord> {
    const [first] = rows;
    assertSame(rows, OF_PRODUCT);
    const cells = cellsOf({
      id: () => text(first, 'id'),
      name: () => required(first, 'name'),
      kind: () => required(first, 'kind'),
      timeZone: () => required(first, 'timeZone'),
      durationMinutes: () => whole(first, 'durationMinutes'),
      defaultCapacity: () => whole(first, 'defaultCapacity'),
      minParticipants: () => whole(first, 'minParticipants'),
      taxCodeId: () => text(first, 'taxCodeId'),
    });
    const input = await checkedAs(CreateProduct, cells);
    const { id } = await this.products.create(input);
    for (const row of rows.filter(({ cells }) => OF_UNIT.some((name) => cells[name] !== undefined))) {
      await ofLine(row, { type: 'unitType', name: 'unitName' }, async () => this.units.create(id, await unitOf(row)));
    }
    return { subjectId: id, warning: null };
  }
}

async function unitOf(row: ImportRow): Promise<CreateProductUnit> {
  const cells = cellsOf({
    type: () => required(row, 'unitType'),
    name: () => required(row, 'unitName'),
    minAge: () => whole(row, 'minAge'),
    maxAge: () => whole(row, 'maxAge'),
    seats: () => whole(row, 'seats'),
    paxCount: () => whole(row, 'paxCount'),
  });
  return checkedAs(CreateProductUnit, cells);
}
