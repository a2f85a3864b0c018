import { Injectable } from '@nestjs/common';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { VaultKeysService } from './keys/vault-keys.service.js';
import { VaultsService } from './vaults/vaults.service.js';

const ROTATED = 'rotated';

/** Creates the vaults in the examples of the API document: `primary`, and `rotated`, whose first key only decrypts. */
@Injectable()
export class VaultDemo {
  constructor(
    private readonly vaults: VaultsService,
    private readonly keys: VaultKeysService,
  ) {}

  @DemoData(350, 'vault')
  async load(): Promise<void> {
    await this.vaults.provision([
      { slug: 'primary', name: 'Primary vault' },
      { slug: ROTATED, name: 'Vault with a second key' },
      { slug: 'travelers', name: 'Documents and notes of travelers' },
    ]);
    const { id: vaultId } = await this.vaults.get(ROTATED);
    await this.keys.beginRotation(vaultId);
    // The rotation can complete immediately, because no process has cached the vault yet.
    await this.keys.completeRotation({ vaultId, version: 2 });
    this.vaults.forget(ROTATED);
  }
}
