import { Module, type OnModuleInit } from '@nestjs/common';
import { Env } from '../../platform/config/env.js';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { VaultAudit } from './audit/vault-audit.service.js';
import { loadDemoVaults } from './demo.js';
import { EncryptionController } from './encryption/encryption.controller.js';
import { Encryption } from './encryption/encryption.service.js';
import { EncryptionBudget } from './keys/encryption-budget.js';
import { heldKeks } from './keys/held-keks.js';
import { KeyEncryption } from './keys/key-encryption.js';
import { KeyRewrap } from './keys/key-rewrap.service.js';
import { KeyRotation } from './keys/key-rotation.service.js';
import { KeyVersionsController } from './keys/key-versions.controller.js';
import { KeyVersions } from './keys/key-versions.service.js';
import { NewKeys } from './keys/new-keys.js';
import { UnwrappedKeys } from './keys/unwrapped-keys.js';
import { KnownVaults } from './vaults/known-vaults.service.js';
import { VaultRow } from './vaults/vault.dto.js';
import { Vaults } from './vaults/vaults.service.js';

@Module({
  controllers: [EncryptionController, KeyVersionsController],
  providers: [
    { provide: KeyEncryption, useFactory: heldKeks, inject: [Env] },
    Encryption,
    EncryptionBudget,
    KeyRewrap,
    KeyRotation,
    KeyVersions,
    KnownVaults,
    NewKeys,
    UnwrappedKeys,
    VaultAudit,
    Vaults,
  ],
})
export class VaultModule implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly vaults: Vaults,
    private readonly rotation: KeyRotation,
  ) {}

  onModuleInit(): void {
    this.provisioning.section('vaults', {
      order: 350,
      row: VaultRow,
      apply: (rows) => this.vaults.provision(rows),
    });
    this.provisioning.demo(350, 'vault', () => loadDemoVaults(this.vaults, this.rotation));
  }
}
