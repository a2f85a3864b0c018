import { Body, Controller, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { VaultSlug } from '../vaults/vault-slug.js';
import { PathKeyVersion } from './path-key-version.js';
import { ChangeKeyVersion, KeyVersionEnvelope, KeyVersionList, toKeyVersion } from './key-version.dto.js';
import { KeyVersionsService } from './key-versions.service.js';

@ApiTags('Vault')
@Controller('/vault/v1/:vaultSlug/keys')
export class KeyVersionsController {
  constructor(private readonly versions: KeyVersionsService) {}

  /**
   * List the key versions of a vault
   *
   * @remarks Returns all versions of the key of the vault, newest first. The key material is never returned.
   */
  @Get()
  @RequireScope('vault:keys')
  async list(@VaultSlug() slug: string): Promise<KeyVersionList> {
    return { data: (await this.versions.list(slug)).map(toKeyVersion) };
  }

  /**
   * Rotate the key of a vault
   *
   * @remarks Creates the next version in state `pending`. It becomes `primary` at `primaryAt`, when every process knows
   * it; the present version then only decrypts. If a version is pending already, that one is returned. Rejected if the
   * vault is archived (409 `vault_archived`) or has 16 versions that decrypt (409 `key_limit_reached`).
   */
  @Post()
  @RequireScope('vault:keys')
  @Refuses({ 409: ['vault_archived', 'key_limit_reached'] })
  async rotate(@VaultSlug() slug: string, @NoBody() _body: null): Promise<KeyVersionEnvelope> {
    return { data: toKeyVersion(await this.versions.rotate(slug)) };
  }

  /**
   * Disable or enable a key version
   *
   * @remarks Disables a version that no longer encrypts, or lets a disabled version decrypt again. The primary and a
   * pending version cannot be changed (409 `key_in_use`), nor a destroyed one (409 `key_destroyed`). At most 16
   * versions can decrypt (409 `key_limit_reached`). Setting the present state changes nothing.
   */
  @Patch(':version')
  @RequireScope('vault:keys')
  @Refuses({ 409: ['vault_archived', 'key_in_use', 'key_destroyed', 'key_limit_reached'] })
  async change(
    @VaultSlug('rotated') slug: string,
    @PathKeyVersion() version: number,
    @Body() { state }: ChangeKeyVersion,
  ): Promise<KeyVersionEnvelope> {
    return { data: toKeyVersion(await this.versions.change(slug, version, state)) };
  }
}
