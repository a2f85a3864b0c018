import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { VaultSlug } from '../vaults/vault-slug.js';
import { DecryptedEnvelope, DecryptRequest, EncryptedEnvelope, EncryptRequest } from './encryption.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { EncryptionService } from './encryption.service.js';

@ApiGroup('Vault', {
  position: 270,
  description: 'Vault: encryption of single values, and the versions of the key of each vault.',
})
@Controller('/vault/v1/:vaultSlug')
export class EncryptionController {
  constructor(private readonly encryption: EncryptionService) {}

  /**
   * Encrypt a value
   *
   * @remarks Encrypts one text of at most 65,536 bytes with the primary key of the vault (AES-256-GCM). Neither the value nor
   * the ciphertext is stored; the operation is audited without them. Depending on the configuration, an unknown vault is
   * created or not found. A key that is bound to an operator creates and finds vaults of that operator only; the slug of
   * another owner is not found. Rejected if the vault is archived, has no key for encryption, or would exceed the limit of 100
   * vaults.
   */
  @ApiOperation({ operationId: 'vaults_encrypt' })
  @Post('encrypt')
  @HttpCode(200)
  @RequireScope('vault:write')
  @Refuses({ 409: ['vault_archived', 'no_usable_key', 'vault_limit_reached'] })
  async encrypt(@VaultSlug() slug: string, @Body() request: EncryptRequest): Promise<EncryptedEnvelope> {
    return { data: { ciphertext: await this.encryption.encrypt(slug, request) } };
  }

  /**
   * Decrypt a value
   *
   * @remarks Decrypts a ciphertext of this vault with the key version that encrypted it, unless that version is disabled. Any
   * other ciphertext, such as a changed one or one of another vault, gets the same error as a wrong context. An archived vault
   * is rejected. The operation is audited without the value.
   */
  @ApiOperation({ operationId: 'vaults_decrypt' })
  @Post('decrypt')
  @HttpCode(200)
  @RequireScope('vault:read')
  @Refuses({ 400: ['undecryptable'], 409: ['vault_archived'] })
  async decrypt(@VaultSlug() slug: string, @Body() request: DecryptRequest): Promise<DecryptedEnvelope> {
    return { data: { plaintext: await this.encryption.decrypt(slug, request) } };
  }

  /**
   * Rewrap a value with the current key
   *
   * @remarks Decrypts a ciphertext of this vault and encrypts the value again with the primary key, without returning the
   * value. The context, if any, stays the same. Use it before an old key version is disabled. A ciphertext that cannot be
   * decrypted is rejected, and so is a vault that is archived or has no key for encryption.
   */
  @ApiOperation({ operationId: 'vaults_rewrap' })
  @Post('rewrap')
  @HttpCode(200)
  @RequireScope('vault:keys')
  @Refuses({ 400: ['undecryptable'], 409: ['vault_archived', 'no_usable_key'] })
  async rewrap(@VaultSlug() slug: string, @Body() request: DecryptRequest): Promise<EncryptedEnvelope> {
    return { data: { ciphertext: await this.encryption.rewrap(slug, request) } };
  }
}
