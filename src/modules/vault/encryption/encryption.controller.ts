import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { VaultSlug } from '../vaults/vault-slug.js';
import { DecryptedEnvelope, DecryptRequest, EncryptedEnvelope, EncryptRequest } from './encryption.dto.js';
import { Encryption } from './encryption.service.js';

@ApiTags('Vault')
@Controller('/vault/v1/:vaultSlug')
export class EncryptionController {
  constructor(private readonly encryption: Encryption) {}

  /** Encrypts one value with the vault's key */
  @Post('encrypt')
  @HttpCode(200)
  @RequireScope('vault:write')
  @Refuses({ 409: ['vault_archived', 'no_usable_key', 'vault_limit_reached'] })
  async encrypt(@VaultSlug() slug: string, @Body() { plaintext }: EncryptRequest): Promise<EncryptedEnvelope> {
    return { data: { ciphertext: await this.encryption.encrypt(slug, plaintext) } };
  }

  /** Decrypts a ciphertext of this vault, whichever of its keys it was made with */
  @Post('decrypt')
  @HttpCode(200)
  @RequireScope('vault:read')
  @Refuses({ 400: ['undecryptable'], 409: ['vault_archived'] })
  async decrypt(@VaultSlug() slug: string, @Body() { ciphertext }: DecryptRequest): Promise<DecryptedEnvelope> {
    return { data: { plaintext: await this.encryption.decrypt(slug, ciphertext) } };
  }

  /** Encrypts a ciphertext of this vault anew with its present key; the value itself is not shown */
  @Post('rewrap')
  @HttpCode(200)
  @RequireScope('vault:keys')
  @Refuses({ 400: ['undecryptable'], 409: ['vault_archived', 'no_usable_key'] })
  async rewrap(@VaultSlug() slug: string, @Body() { ciphertext }: DecryptRequest): Promise<EncryptedEnvelope> {
    return { data: { ciphertext: await this.encryption.rewrap(slug, ciphertext) } };
  }
}
