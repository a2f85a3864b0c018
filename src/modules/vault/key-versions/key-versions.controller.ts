import { Body, Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { MutatesOutsideLedger } from '../../../platform/idempotency/mutates.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { VaultSlug } from '../vaults/vault-slug.js';
import { PathKeyVersion } from './path-key-version.js';
import { ChangeKeyVersion, KeyVersionEnvelope, KeyVersionList, toKeyVersion } from './key-version.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { KeyVersionsService } from './key-versions.service.js';

@ApiGroup('Vault')
@Controller('/vault/v1/:vaultSlug/keys')
export class KeyVersionsController {
  constructor(private readonly versions: KeyVersionsService) {}

  /**
   * List the key versions of a vault
   *
   * @remarks Returns all versions of the key of the vault, newest first. The key material is never returned.
   */
  @ApiOperation({ operationId: 'vaultKeys_list' })
  @Get()
  @RequireScope('vault:keys')
  async list(@VaultSlug() slug: string): Promise<KeyVersionList> {
    return { data: (await this.versions.list(slug)).map(toKeyVersion) };
  }

  /**
   * Rotate the key of a vault
   *
   * @remarks Creates the next version in state `pending`. It becomes `primary` at `primaryAt`, when every process knows it; the
   * current primary version then only decrypts. If a version is already pending, it is returned. Rejected if the vault is
   * archived or has 16 versions that decrypt.
   */
  @ApiOperation({ operationId: 'vaultKeys_rotate' })
  @Post()
  @RequireScope('vault:keys')
  @MutatesOutsideLedger('the vault has an audit of its own')
  @Refuses({ 409: ['vault_archived', 'key_limit_reached'] })
  async rotate(@VaultSlug() slug: string, @NoBody() _body: null): Promise<KeyVersionEnvelope> {
    return { data: toKeyVersion(await this.versions.rotate(slug)) };
  }

  /**
   * Disable or enable a key version
   *
   * @remarks Disables a version that no longer encrypts, or enables a disabled version for decryption. Primary, pending and
   * destroyed versions cannot be changed, nor versions whose destruction is pending. At most 16 versions can decrypt. Setting
   * the current state changes nothing.
   */
  @ApiOperation({ operationId: 'vaultKeys_update' })
  @Patch(':version')
  @RequireScope('vault:keys')
  @Refuses({ 409: ['vault_archived', 'key_in_use', 'key_destroyed', 'key_destruction_pending', 'key_limit_reached'] })
  async change(
    @VaultSlug('rotated') slug: string,
    @PathKeyVersion() version: number,
    @Body() { state }: ChangeKeyVersion,
  ): Promise<KeyVersionEnvelope> {
    return { data: toKeyVersion(await this.versions.change(slug, version, state)) };
  }

  /**
   * Schedule the destruction of a key version
   *
   * @remarks From now on the version neither encrypts nor decrypts, and at `destroyAt` its key is permanently destroyed: values
   * encrypted with it can never be decrypted again. The waiting period is a setting of the service. Rewrap the values that are
   * still needed first. The primary and a pending version cannot be destroyed. If the destruction is pending already, nothing
   * changes.
   */
  @ApiOperation({ operationId: 'vaultKeys_scheduleDestruction' })
  @Post(':version/destruction')
  @HttpCode(200)
  @RequireScope('vault:keys')
  @Refuses({ 409: ['vault_archived', 'key_in_use', 'key_destroyed'] })
  async scheduleDestruction(
    @VaultSlug('rotated') slug: string,
    @PathKeyVersion() version: number,
    @NoBody() _body: null,
  ): Promise<KeyVersionEnvelope> {
    return { data: toKeyVersion(await this.versions.scheduleDestruction(slug, version)) };
  }

  /**
   * Cancel the destruction of a key version
   *
   * @remarks Possible until `destroyAt`. The version is `disabled` afterwards; the request returns it. Rejected if no
   * destruction is pending or the key is destroyed.
   */
  @ApiOperation({ operationId: 'vaultKeys_cancelDestruction' })
  @Delete(':version/destruction')
  @RequireScope('vault:keys')
  @Refuses({ 409: ['vault_archived', 'key_destroyed', 'no_destruction_pending'] })
  async cancelDestruction(
    @VaultSlug('rotated') slug: string,
    @PathKeyVersion() version: number,
    @NoBody() _body: null,
  ): Promise<KeyVersionEnvelope> {
    return { data: toKeyVersion(await this.versions.cancelDestruction(slug, version)) };
  }
}
