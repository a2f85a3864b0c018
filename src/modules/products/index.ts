export { productEvents } from './events.js';
export { type AdvertisedProduct, AdvertisedProductsService } from './price-lists/advertised-products.service.js';
export {
  type ChannelOption,
  type ChannelProduct,
  ChannelProductsService,
  type ChannelUnit,
} from './price-lists/channel-products.service.js';
export { type Cutoff, CutoffBody, cutoffOf, CutoffResponse, LOCAL_TIME, toCutoff } from './products/cutoff.dto.js';
export {
  type DepartureUnitPrice,
  PRICE_OUTCOMES,
  PRICE_SOURCES,
  type PriceOutcome,
  type PriceSource,
} from './price-lists/unit-price.js';
export {
  type PricedExtra,
  type PricedExtraOfSale,
  type PricedUnit,
  type PricedUnitOfSale,
  type UnitSale,
  UnitPricesService,
} from './price-lists/unit-prices.service.js';
export type { ProductDefaults } from './products/product-defaults.js';
export { RESOURCE_TYPES, type ResourceType } from './products/resource-types.js';
export { ProductPathId } from './products/product-path.js';
export { ProductListener } from './products/product-listener.js';
export { CreateProduct } from './products/product.dto.js';
export { CreateProductUnit } from './products/product-unit.dto.js';
export type { PriceBody } from './price-lists/price-list.dto.js';
export { PriceListsService } from './price-lists/price-lists.service.js';
export { type AskedQuestion, ProductQuestionsService } from './products/product-questions.service.js';
export { QUESTION_SCOPES, QUESTION_TYPES, type QuestionScope, type QuestionType } from './products/question-kinds.js';
export { ProductUnitsService } from './products/product-units.service.js';
export type { VoucherRule } from './products/voucher-rules.js';
export { productSubject } from './products/product-subject.js';
export { type ProductKind, type ProductMedia, textIn } from './products/product-texts.js';
export { ProductsService } from './products/products.service.js';
export { ProductsModule } from './products.module.js';
