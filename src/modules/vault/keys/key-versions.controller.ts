import { Body, Controller, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { Refuses } from '../../../platform/openapi/errors.js';
import { VaultSlug } from '../vaults/vault-slug.js';
import { PathKeyVersion } from './path-key-version.js';
import { ChangeKeyVersion, KeyVersionEnvelope, KeyVersionList, toKeyVersion } from './key-versions.dto.js';
import { KeyVersions } from './key-versions.service.js';

@ApiTags('Vault')
@Controller('/vault/v1/:vaultSlug/keys')
export class KeyVersionsController {
  constructor(private readonly versions: KeyVersions) {}

  /** Lists the versions of the vault's key, newest first */
  @Get()
  @RequireScope('vault:keys')
  async list(@VaultSlug() slug: string): Promise<KeyVersionList> {
    return { data: (await this.versions.list(slug)).map(toKeyVersion) };
  }

  /** Begins a rotation: a new version, which takes over when every process knows it; repeated until then, the same */
  @Post()
  @RequireScope('vault:keys')
  @Refuses({ 409: ['vault_archived', 'key_limit_reached'] })
  async rotate(@VaultSlug() slug: string, @NoBody() _body: null): Promise<KeyVersionEnvelope> {
    return { data: toKeyVersion(await this.versions.rotate(slug)) };
  }

  /** Disables a version that no longer encrypts, or lets it decrypt again */
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
