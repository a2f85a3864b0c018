import { Injectable } from '@nestjs/common';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { VaultKeysService } from './keys/vault-keys.service.js';
import { VaultsService } from './vaults/vaults.service.js';

const ROTATED = 'rotated';

/** The vaults that the examples of the API document name: `primary`, and `rotated`, whose first key only decrypts. */
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
    ]);
    const { id: vaultId } = await this.vaults.get(ROTATED);
    await this.keys.beginRotation(vaultId);
    // Completed at once: no process has the vault in its cache yet.
    await this.keys.completeRotation({ vaultId, version: 2 });
    this.vaults.forget(ROTATED);
  }
}
