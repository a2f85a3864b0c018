export { productEvents } from './events.js';
export { type Cutoff, CutoffBody, cutoffOf, CutoffResponse, toCutoff } from './products/cutoff.dto.js';
export { ProductListener } from './products/product-listener.js';
export { ProductsService } from './products/products.service.js';
export { ProductsModule } from './products.module.js';
