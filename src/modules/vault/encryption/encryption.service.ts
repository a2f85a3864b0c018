import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import { VaultAuditService } from '../audit/vault-audit.service.js';
import { open, seal } from '../../../platform/keys/aes-gcm.js';
import { EncryptionBudget } from '../keys/encryption-budget.js';
import { VaultKeysService } from '../keys/vault-keys.service.js';
import { findPrimary, type VaultSnapshot, type LiveVersion } from '../vaults/vault-snapshot.js';
import { VaultsService } from '../vaults/vaults.service.js';

/** Encrypts and decrypts single values. Neither values nor ciphertexts are stored. */
@Injectable()
export class EncryptionService {
  constructor(
    private readonly env: Env,
    private readonly vaults: VaultsService,
    private readonly keys: VaultKeysService,
    private readonly budget: EncryptionBudget,
    private readonly audit: VaultAuditService,
  ) {}

  /** Returns base64 of nonce, ciphertext and tag. */
  async encrypt(slug: string, plaintext: string): Promise<string> {
    const vault = await (this.env.vaultUpsert ? this.vaults.getOrCreate(slug) : this.vaults.get(slug));
    const value = Buffer.from(plaintext);
    const operation = { operation: 'encrypt', vaultId: vault.id, bytes: value.length } as const;
    return this.audit.audited(operation, async (record) => {
      const version = await this.takePrimary(slug, vault);
      record.keyVersion = version.version;
      return seal(await this.binding(version), value).toString('base64');
    });
  }

  /** Throws the same error, 400 `undecryptable`, for every fault of the ciphertext. */
  async decrypt(slug: string, ciphertext: string): Promise<string> {
    const vault = await this.vaults.get(slug);
    return this.audit.audited({ operation: 'decrypt', vaultId: vault.id }, async (record) => {
      assertInUse(vault);
      const { value, keyVersion } = await this.opened(vault, ciphertext);
      Object.assign(record, { keyVersion, bytes: value.length });
      return value.toString();
    });
  }

  /** Encrypts the value of a ciphertext again with the primary key, without returning it. */
  async rewrap(slug: string, ciphertext: string): Promise<string> {
    const vault = await this.vaults.get(slug);
    return this.audit.audited({ operation: 'rewrap_value', vaultId: vault.id }, async (record) => {
      assertInUse(vault);
      const { value } = await this.opened(vault, ciphertext);
      record.bytes = value.length;
      const version = await this.takePrimary(slug, vault);
      record.keyVersion = version.version;
      const sealed = seal(await this.binding(version), value);
      value.fill(0);
      return sealed.toString('base64');
    });
  }

  private async opened(vault: VaultSnapshot, ciphertext: string): Promise<{ value: Buffer; keyVersion: number }> {
    const sealed = fromBase64(ciphertext);
    // A ciphertext does not name its key version; the tag shows which one fits.
    for (const version of sealed ? vault.versions : []) {
      const value = sealed && open(await this.binding(version), sealed);
      if (value) return { value, keyVersion: version.version };
    }
    throw new AppError(400, 'undecryptable', 'ciphertext cannot be decrypted');
  }

  /** The primary version, with one of its encryptions reserved. The cached version may be primary no longer. */
  private async takePrimary(slug: string, vault: VaultSnapshot): Promise<LiveVersion> {
    assertInUse(vault);
    const version = findPrimary(vault);
    if (!version) throw conflict('no_usable_key', 'The vault has no key for encryption');
    return (await this.budget.take(version)) ? version : this.takePrimary(slug, await this.vaults.getUncached(slug));
  }

  /** The key, and the AAD that binds a ciphertext to this vault and version. */
  private async binding(version: LiveVersion): Promise<{ key: KeyObject; aad: Buffer }> {
    const aad = Buffer.from(`vault-data|v1|${version.vaultId}|${version.version}`);
    return { key: await this.keys.get(version), aad };
  }
}

function assertInUse({ archived }: VaultSnapshot): void {
  if (archived) throw conflict('vault_archived', 'The vault is archived');
}

/** The bytes of standard, padded base64; null for any other text. */
function fromBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
