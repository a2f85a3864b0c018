import 'reflect-metadata';
import { Body, Controller, Get, HttpCode, Module, Param, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createDataSource } from '../../dist/ormconfig.js';

/* The other floor: a bare Nest + Express route as in the documentation, with TypeORM's findOneBy. */
const dataSource = await createDataSource({ databaseUrl: process.env.DATABASE_URL, databasePoolSize: 20 }).initialize();
const { target } = dataSource.entityMetadatas.find(({ tableName }) => tableName === 'supplier_invoices');
const invoices = dataSource.getRepository(target);
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
route('seal', [Post('seal'), HttpCode(200)], [Body()]);
route('introspect', [Post('introspect'), HttpCode(200)], [Body()]);
Controller()(FloorController);

class FloorModule {}
Module({ controllers: [FloorController] })(FloorModule);

const app = await NestFactory.create(FloorModule, { logger: false });
await app.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
