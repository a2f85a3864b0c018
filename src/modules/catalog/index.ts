export { CatalogAdministrationService } from './administration/catalog-administration.service.js';
export { StartReindex } from './administration/catalog-administration.dto.js';
export { CatalogDemo } from './catalog.demo.js';
export { CatalogModule } from './catalog.module.js';
export { catalogEvents } from './events.js';
export type { AdvertisedDeparture } from './demo/demo-fields.js';
