export { CatalogModule } from './catalog.module.js';
export { catalogEvents } from './events.js';
