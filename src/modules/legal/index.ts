export { LegalModule } from './legal.module.js';
