import type { KeyRotation } from './keys/key-rotation.service.js';
import type { Vaults } from './vaults/vaults.service.js';

const ROTATED = 'rotated';

/** The vaults that the API document's examples name: `primary`, and `rotated`, whose first key only decrypts. */
export async function loadDemoVaults(vaults: Vaults, rotation: KeyRotation): Promise<void> {
  await vaults.provision([
    { slug: 'primary', name: 'Primary vault' },
    { slug: ROTATED, name: 'Vault with a second key' },
  ]);
  const { id: vaultId } = await vaults.get(ROTATED);
  await rotation.begin(vaultId);
  // Nobody has used it yet, so there is nobody to wait for.
  await rotation.complete({ vaultId, version: 2 });
  vaults.forget(ROTATED);
}
