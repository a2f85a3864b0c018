import { Module } from '@nestjs/common';
import { VaultAuditService } from './audit/vault-audit.service.js';
import { EncryptionController } from './encryption/encryption.controller.js';
import { EncryptionService } from './encryption/encryption.service.js';
import { KeyVersionsController } from './key-versions/key-versions.controller.js';
import { KeyVersionsService } from './key-versions/key-versions.service.js';
import { EncryptionBudget } from './keys/encryption-budget.js';
import { VaultKeysService } from './keys/vault-keys.service.js';
import { VaultDemo } from './vault.demo.js';
import { VaultsService } from './vaults/vaults.service.js';
import './vault-tables.js';

@Module({
  controllers: [EncryptionController, KeyVersionsController],
  providers: [
    EncryptionBudget,
    EncryptionService,
    KeyVersionsService,
    VaultAuditService,
    VaultDemo,
    VaultKeysService,
    VaultsService,
  ],
  exports: [EncryptionService],
})
export class VaultModule {}
