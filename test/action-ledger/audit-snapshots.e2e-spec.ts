import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, type EntityMetadata } from 'typeorm';
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js';
import { omissionOf } from '../../src/platform/database/unaudited.js';
import { startApp } from '../setup/app.js';

/** Columns of every entity that the entry itself or each change sets. */
const SET_WITH_EACH_CHANGE = {
  id: 'the subject of the entry',
  version: 'counts the changes',
  createdAt: 'the time of the first entry',
  updatedAt: 'the time of the last entry',
};

let entities: EntityMetadata[];
beforeAll(async () => {
  const app = await startApp();
  entities = app.nest.get(DataSource).entityMetadatas;
});

describe('audit snapshots', () => {
  it('each column of an entity is in its audit snapshot, or says why it is not', () => {
    const forgotten = entities.flatMap((entity) => {
      const read = readBySnapshot(entity);
      return entity.columns
        .map(({ propertyName }) => propertyName)
        .filter((name) => !(name in SET_WITH_EACH_CHANGE) && !read.has(name) && !omissionOf(entity, name))
        .map((name) => `${entity.name}.${name}`);
    });

    expect(entities.length).toBeGreaterThan(50);
    expect(forgotten).toEqual([]);
  });

  it('no column says why its snapshot omits it although the snapshot contains it', () => {
    const wrong = entities.flatMap((entity) => {
      const read = readBySnapshot(entity);
      return entity.columns
        .map(({ propertyName }) => propertyName)
        .filter((name) => read.has(name) && omissionOf(entity, name) !== null && !PROVEN.has(`${entity.name}.${name}`))
        .map((name) => `${entity.name}.${name}`);
    });

    expect(wrong).toEqual([]);
  });
});

/** Texts of which the snapshot contains the digest. */
const PROVEN = new Set(['Contract.body', 'PolicyVersion.body']);

/** The columns that the snapshot of an entity reads; none for an entity without a snapshot. */
function readBySnapshot({ target, columns }: EntityMetadata): Set<string> {
  const read = new Set<string>();
  if (typeof target === 'string') return read;
  const sample: object = Object.create(target.prototype as object);
  for (const column of columns) Reflect.set(sample, column.propertyName, valueFor(column));
  const recorder = new Proxy(sample, {
    get: (entity, name, receiver): unknown => {
      if (typeof name === 'string') read.add(name);
      return Reflect.get(entity, name, receiver);
    },
  });
  const auditImage: unknown = Reflect.get(sample, 'auditImage');
  // Some snapshots contain rows that belong to the entity, here none, or what is overdue on a day.
  if (typeof auditImage === 'function') Reflect.apply(auditImage, recorder, [[], '2026-01-01']);
  return read;
}

/** A credit note has further members in the snapshot of an invoice, so every text is this one. */
function valueFor({ type, isArray }: ColumnMetadata): unknown {
  if (isArray) return [];
  if (type === 'timestamptz') return new Date(0);
  if (type === 'jsonb') return {};
  if (type === 'integer' || type === 'bigint') return 1;
  return type === 'boolean' ? true : 'credit_note';
}
