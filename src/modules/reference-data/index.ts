export { ReferenceDataModule } from './reference-data.module.js';
