import { Module } from '@nestjs/common';
import { ActionLedgerModule } from '../action-ledger/index.js';
import { OrganizationModule } from '../organization/index.js';
import { TaxesModule } from '../taxes/index.js';
import { AdvertisedProductsService } from './price-lists/advertised-products.service.js';
import { ChannelProductsService } from './price-lists/channel-products.service.js';
import { PriceListsController } from './price-lists/price-lists.controller.js';
import { PriceListsRepository } from './price-lists/price-lists.repository.js';
import { PriceListsService } from './price-lists/price-lists.service.js';
import { UnitPricesService } from './price-lists/unit-prices.service.js';
import { ProductExtrasController } from './products/product-extras.controller.js';
import { ProductExtrasService } from './products/product-extras.service.js';
import { ProductOptionsController } from './products/product-options.controller.js';
import { ProductOptionsService } from './products/product-options.service.js';
import { ProductQuestionsController } from './products/product-questions.controller.js';
import { ProductQuestionsService } from './products/product-questions.service.js';
import { ProductUnitsController } from './products/product-units.controller.js';
import { ProductUnitsService } from './products/product-units.service.js';
import { ProductsController } from './products/products.controller.js';
import { ProductsRepository } from './products/products.repository.js';
import { ProductsService } from './products/products.service.js';
import { ProductsDemo } from './products.demo.js';
import './products-tables.js';

@Module({
  imports: [ActionLedgerModule, OrganizationModule, TaxesModule],
  // Express takes the first route that matches: `/products/price-lists` must precede `/products/:productId`.
  controllers: [
    PriceListsController,
    ProductsController,
    ProductOptionsController,
    ProductUnitsController,
    ProductExtrasController,
    ProductQuestionsController,
  ],
  providers: [
    AdvertisedProductsService,
    ChannelProductsService,
    PriceListsRepository,
    PriceListsService,
    ProductExtrasService,
    ProductOptionsService,
    ProductQuestionsService,
    ProductsDemo,
    ProductsRepository,
    ProductsService,
    ProductUnitsService,
    UnitPricesService,
  ],
  exports: [
    AdvertisedProductsService,
    ChannelProductsService,
    PriceListsService,
    ProductQuestionsService,
    ProductsService,
    ProductUnitsService,
    UnitPricesService,
  ],
})
export class ProductsModule {}
