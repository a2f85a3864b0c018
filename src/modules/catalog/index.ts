export { CatalogModule } from './catalog.module.js';
export { CatalogGeneration } from './demo/generation.service.js';
export { catalogEvents } from './events.js';
