export { productEvents } from './events.js';
export { type Cutoff, CutoffBody, cutoffOf, CutoffResponse, LOCAL_TIME, toCutoff } from './products/cutoff.dto.js';
export { PRICE_OUTCOMES, PRICE_SOURCES, type PriceOutcome, type PriceSource } from './price-lists/unit-price.js';
export { type PricedUnit, type PricedUnitOfSale, UnitPricesService } from './price-lists/unit-prices.service.js';
export type { ProductDefaults } from './products/product-defaults.js';
export { ProductPathId } from './products/product-path.js';
export { ProductListener } from './products/product-listener.js';
export { ProductsService } from './products/products.service.js';
export { ProductsModule } from './products.module.js';
