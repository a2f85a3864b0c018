import 'reflect-metadata';
import { Body, Controller, Get, HttpCode, Module, Param, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource, EntitySchema } from 'typeorm';
import { createDataSource } from '../../dist/src/bootstrap/data-source.js';

/* The other floor: bare Nest + Express routes as in the documentation, with TypeORM's `findOneBy` and `save`. */
const dataSource = await createDataSource({ databaseUrl: process.env.DATABASE_URL, databasePoolSize: 20 }).initialize();
const { target, columns } = dataSource.entityMetadatas.find(({ tableName }) => tableName === 'supplier_invoices');
const invoices = dataSource.getRepository(target);

/** A row of a supplier invoice, with the same columns, in a table without triggers. */
const SavedInvoice = new EntitySchema({
  name: 'SavedInvoice',
  tableName: 'bench_saved_invoices',
  columns: Object.fromEntries(
    columns.map(({ propertyName, databaseName, type, isPrimary, isNullable, transformer }) => [
      propertyName,
      {
        name: databaseName,
        type,
        nullable: isNullable,
        transformer,
        ...(isPrimary && { primary: true, generated: 'uuid' }),
      },
    ]),
  ),
});
await dataSource.query(`drop table if exists bench_saved_invoices;
  create table bench_saved_invoices (like supplier_invoices including defaults);
  alter table bench_saved_invoices alter column id set default gen_random_uuid()::text, add primary key (id);
  create unique index on bench_saved_invoices (supplier_name, invoice_number)`);

/** A row of a channel, in a table without triggers; the id is the database's, so that `save` needs no SELECT. */
const Saved = new EntitySchema({
  name: 'Saved',
  tableName: 'bench_saved',
  columns: {
    id: { type: 'uuid', primary: true, generated: 'uuid' },
    name: { type: 'text' },
    description: { type: 'text', nullable: true },
    kind: { type: 'text', default: 'reseller' },
    status: { type: 'text', default: 'active' },
    website: { type: 'text', nullable: true },
    metadata: { type: 'jsonb', nullable: true },
    version: { type: 'integer', version: true },
    createdAt: { name: 'created_at', type: 'timestamptz', createDate: true },
    updatedAt: { name: 'updated_at', type: 'timestamptz', updateDate: true },
  },
});
await dataSource.query(`create table if not exists bench_saved (
    id uuid primary key default gen_random_uuid(), name text not null, description text, kind text not null default 'reseller',
    status text not null default 'active', website text, metadata jsonb, version int not null,
    created_at timestamptz not null default now(), updated_at timestamptz not null default now());
  create unique index if not exists bench_saved_name on bench_saved (lower(name));`);
const saving = await new DataSource({
  type: 'postgres',
  url: process.env.DATABASE_URL,
  poolSize: 20,
  entities: [Saved, SavedInvoice],
}).initialize();
const saved = saving.getRepository(Saved);
const savedInvoices = saving.getRepository(SavedInvoice);
const [invoice = {}] = await invoices.find({ take: 1 });
delete invoice.id;

const SEALED = { data: { ciphertext: 'A'.repeat(48) } };

const INTROSPECTED = {
  active: true,
  scope: 'connect:bookings:read',
  client_id: `occ_${'A'.repeat(24)}`,
  sub: `occ_${'A'.repeat(24)}`,
  token_type: 'Bearer',
  exp: 1_800_003_600,
  iat: 1_800_000_000,
};

class FloorController {
  live() {
    return { status: 'ok' };
  }

  async one(id) {
    return { data: await invoices.findOneBy({ id }) };
  }

  async save(body) {
    return { data: await saved.save(saved.create(body)) };
  }

  async saveInvoice(body) {
    return { data: await savedInvoices.save(savedInvoices.create({ ...invoice, ...body })) };
  }

  seal(_body) {
    return SEALED;
  }

  introspect(_body) {
    return INTROSPECTED;
  }
}

function route(name, decorators, parameters = []) {
  const descriptor = Object.getOwnPropertyDescriptor(FloorController.prototype, name);
  for (const decorate of decorators) decorate(FloorController.prototype, name, descriptor);
  for (const [index, decorate] of parameters.entries()) decorate(FloorController.prototype, name, index);
}
route('live', [Get('health/live')]);
route('one', [Get('one/:id')], [Param('id')]);
route('save', [Post('save')], [Body()]);
route('saveInvoice', [Post('save-invoice')], [Body()]);
route('seal', [Post('seal'), HttpCode(200)], [Body()]);
route('introspect', [Post('introspect'), HttpCode(200)], [Body()]);
Controller()(FloorController);

class FloorModule {}
Module({ controllers: [FloorController] })(FloorModule);

const app = await NestFactory.create(FloorModule, { logger: false });
await app.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
