import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { TaxesModule } from '../taxes/index.js';
import { ProductOptionsController } from './products/product-options.controller.js';
import { ProductOptionsService } from './products/product-options.service.js';
import { ProductUnitsController } from './products/product-units.controller.js';
import { ProductUnitsService } from './products/product-units.service.js';
import { ProductsController } from './products/products.controller.js';
import { ProductsRepository } from './products/products.repository.js';
import { ProductsService } from './products/products.service.js';
import { ProductsDemo } from './products.demo.js';
import './products-tables.js';

@Module({
  imports: [ActionLedgerModule, TaxesModule],
  controllers: [ProductsController, ProductOptionsController, ProductUnitsController],
  providers: [ProductOptionsService, ProductsDemo, ProductsRepository, ProductsService, ProductUnitsService],
  exports: [ProductsService],
})
export class ProductsModule {}
