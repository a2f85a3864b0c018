export { EncryptionService } from './encryption/encryption.service.js';
export { VaultKeysService } from './keys/vault-keys.service.js';
export { VaultModule } from './vault.module.js';
