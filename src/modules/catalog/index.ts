export { CatalogAdministrationService } from './administration/catalog-administration.service.js';
export { StartReindex } from './administration/catalog-administration.dto.js';
export { CatalogModule } from './catalog.module.js';
export { catalogEvents } from './events.js';
