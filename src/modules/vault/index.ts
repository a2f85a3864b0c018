export { VaultModule } from './vault.module.js';
