import { Module } from '@nestjs/common';
import { Env } from '../../platform/config/env.js';
import { VaultAudit } from './audit/vault-audit.service.js';
import { EncryptionController } from './encryption/encryption.controller.js';
import { EncryptionService } from './encryption/encryption.service.js';
import { KeyVersionsController } from './key-versions/key-versions.controller.js';
import { KeyVersionsService } from './key-versions/key-versions.service.js';
import { EncryptionBudget } from './keys/encryption-budget.js';
import { environmentKeks } from './keys/environment-keks.js';
import { KeyEncryption } from './keys/key-encryption.js';
import { VaultKeysService } from './keys/vault-keys.service.js';
import { VaultDemo } from './vault.demo.js';
import { VaultsService } from './vaults/vaults.service.js';

@Module({
  controllers: [EncryptionController, KeyVersionsController],
  providers: [
    { provide: KeyEncryption, useFactory: environmentKeks, inject: [Env] },
    EncryptionBudget,
    EncryptionService,
    KeyVersionsService,
    VaultAudit,
    VaultDemo,
    VaultKeysService,
    VaultsService,
  ],
})
export class VaultModule {}
