import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import { VaultAuditService } from '../audit/vault-audit.service.js';
import { open, seal } from '../../../platform/keys/aes-gcm.js';
import { EncryptionBudget } from '../keys/encryption-budget.js';
import { VaultKeysService } from '../keys/vault-keys.service.js';
import type { DecryptRequest, EncryptRequest } from './encryption.dto.js';
import { findPrimary, type VaultSnapshot, type LiveVersion } from '../vaults/vault-snapshot.js';
import { VaultsService } from '../vaults/vaults.service.js';

/**
 * Encrypts and decrypts single values. Neither values nor ciphertexts are stored. Buffers with a value are overwritten with zeros
 * once they are used; the text of the request or response is a string, which only the garbage collector removes.
 */
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
  async encrypt(slug: string, { plaintext, context }: EncryptRequest): Promise<string> {
    const vault = await (this.env.vaultUpsert ? this.vaults.getOrCreate(slug) : this.vaults.get(slug));
    const value = Buffer.from(plaintext);
    const operation = { operation: 'encrypt', vaultId: vault.id, bytes: value.length } as const;
    return this.audit.audited(operation, async (record) => {
      try {
        const version = await this.takePrimary(slug, vault);
        record.keyVersion = version.version;
        return seal(await this.binding(version, context), value).toString('base64');
      } finally {
        value.fill(0);
      }
    });
  }

  /** Reports the same error for every fault of the ciphertext and for a wrong context. */
  async decrypt(slug: string, request: DecryptRequest): Promise<string> {
    const vault = await this.vaults.get(slug);
    return this.audit.audited({ operation: 'decrypt', vaultId: vault.id }, async (record) => {
      assertInUse(vault);
      const { value, keyVersion } = await this.opened(vault, request);
      Object.assign(record, { keyVersion, bytes: value.length });
      const plaintext = value.toString();
      value.fill(0);
      return plaintext;
    });
  }

  /** Encrypts the value of a ciphertext again with the primary key and the same context, without returning it. */
  async rewrap(slug: string, request: DecryptRequest): Promise<string> {
    const vault = await this.vaults.get(slug);
    return this.audit.audited({ operation: 'rewrap_value', vaultId: vault.id }, async (record) => {
      assertInUse(vault);
      const { value } = await this.opened(vault, request);
      try {
        record.bytes = value.length;
        const version = await this.takePrimary(slug, vault);
        record.keyVersion = version.version;
        return seal(await this.binding(version, request.context), value).toString('base64');
      } finally {
        value.fill(0);
      }
    });
  }

  private async opened(
    vault: VaultSnapshot,
    { ciphertext, context }: DecryptRequest,
  ): Promise<{ value: Buffer; keyVersion: number }> {
    const sealed = fromBase64(ciphertext);
    // A ciphertext does not name its key version; the tag shows which one fits.
    for (const version of sealed ? vault.versions : []) {
      const value = sealed && open(await this.binding(version, context), sealed);
      if (value) return { value, keyVersion: version.version };
    }
    throw new AppError(400, 'undecryptable', 'ciphertext cannot be decrypted');
  }

  /** Returns the primary version and reserves one of its encryptions. The cached version may no longer be primary. */
  private async takePrimary(slug: string, vault: VaultSnapshot): Promise<LiveVersion> {
    assertInUse(vault);
    const version = findPrimary(vault);
    if (!version) throw conflict('no_usable_key', 'The vault has no primary key version');
    return (await this.budget.take(version)) ? version : this.takePrimary(slug, await this.vaults.getUncached(slug));
  }

  /**
   * Returns the key, and the AAD that binds a ciphertext to this vault, version and context. The context is the last part, and
   * neither an id nor a number contains the separator, so no context makes the AAD of another vault, version or context.
   */
  private async binding(version: LiveVersion, context?: string): Promise<{ key: KeyObject; aad: Buffer }> {
    const place = `vault-data|v1|${version.vaultId}|${version.version}`;
    const aad = Buffer.from(context === undefined ? place : `${place}|context|${context}`);
    return { key: await this.keys.get(version), aad };
  }
}

function assertInUse({ archived }: VaultSnapshot): void {
  if (archived) throw conflict('vault_archived', 'The vault is archived');
}

/** Decodes standard, padded base64; returns null for any other text. */
function fromBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
