import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import { VaultAudit } from '../audit/vault-audit.service.js';
import { open, seal } from '../keys/aes-gcm.js';
import { EncryptionBudget } from '../keys/encryption-budget.js';
import { UnwrappedKeys } from '../keys/unwrapped-keys.js';
import { findPrimary, type KnownVault, type LiveVersion } from '../vaults/known-vault.js';
import { Vaults } from '../vaults/vaults.service.js';

/** Encrypts and decrypts single values. Neither the values nor the ciphertexts are kept. */
@Injectable()
export class Encryption {
  constructor(
    private readonly env: Env,
    private readonly vaults: Vaults,
    private readonly keys: UnwrappedKeys,
    private readonly budget: EncryptionBudget,
    private readonly audit: VaultAudit,
  ) {}

  /**
   * The value as base64 of nonce, ciphertext and tag. Throws 404, 409 `vault_archived`, `no_usable_key`,
   * `vault_limit_reached`, 429 `encryption_budget_exhausted`, 503.
   */
  async encrypt(slug: string, plaintext: string): Promise<string> {
    const vault = await (this.env.vaultUpsert ? this.vaults.getOrCreate(slug) : this.vaults.get(slug));
    const value = Buffer.from(plaintext);
    const record = { operation: 'encrypt', vaultId: vault.id, bytes: value.length } as const;
    return this.audit.witness(record, async (witnessed) => {
      const version = await this.takePrimary(slug, vault);
      witnessed.keyVersion = version.version;
      return seal(await this.binding(version), value).toString('base64');
    });
  }

  /** The value. Throws 400 `undecryptable` whatever is wrong with the ciphertext, 404, 409 `vault_archived`, 503. */
  async decrypt(slug: string, ciphertext: string): Promise<string> {
    const vault = await this.vaults.get(slug);
    return this.audit.witness({ operation: 'decrypt', vaultId: vault.id }, async (witnessed) => {
      assertInUse(vault);
      const { value, keyVersion } = await this.opened(vault, ciphertext);
      Object.assign(witnessed, { keyVersion, bytes: value.length });
      return value.toString();
    });
  }

  /**
   * The same value under the vault's present key, without its being shown to anybody: for what is to outlive an old key.
   * Throws as `decrypt`, and 409 `no_usable_key`, 429 `encryption_budget_exhausted`.
   */
  async rewrap(slug: string, ciphertext: string): Promise<string> {
    const vault = await this.vaults.get(slug);
    return this.audit.witness({ operation: 'rewrap_value', vaultId: vault.id }, async (witnessed) => {
      assertInUse(vault);
      const { value } = await this.opened(vault, ciphertext);
      witnessed.bytes = value.length;
      const version = await this.takePrimary(slug, vault);
      witnessed.keyVersion = version.version;
      const sealed = seal(await this.binding(version), value);
      value.fill(0);
      return sealed.toString('base64');
    });
  }

  /** Throws 400 `undecryptable`. */
  private async opened(vault: KnownVault, ciphertext: string): Promise<{ value: Buffer; keyVersion: number }> {
    const sealed = fromBase64(ciphertext);
    // The envelope does not say which version made it; the tag does.
    for (const version of sealed ? vault.versions : []) {
      const value = sealed && open(await this.binding(version), sealed);
      if (value) return { value, keyVersion: version.version };
    }
    throw new AppError(400, 'undecryptable', 'ciphertext cannot be decrypted');
  }

  /** The version that encrypts, one of its encryptions taken. It may have changed since this node last looked. */
  private async takePrimary(slug: string, vault: KnownVault): Promise<LiveVersion> {
    assertInUse(vault);
    const version = findPrimary(vault);
    if (!version) throw conflict('no_usable_key', 'The vault has no key for encryption');
    return (await this.budget.take(version)) ? version : this.takePrimary(slug, await this.vaults.getAnew(slug));
  }

  /** The key, and the AAD that ties what it seals to this vault and version. */
  private async binding(version: LiveVersion): Promise<{ key: KeyObject; aad: Buffer }> {
    const aad = Buffer.from(`vault-data|v1|${version.vaultId}|${version.version}`);
    return { key: await this.keys.get(version), aad };
  }
}

function assertInUse({ archived }: KnownVault): void {
  if (archived) throw conflict('vault_archived', 'The vault is archived');
}

/** The bytes of standard, padded base64; null for any other spelling. */
function fromBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
