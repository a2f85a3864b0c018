export { CatalogModule } from './catalog.module.js';
export { CatalogGeneration } from './demo/generation.service.js';
