import { Injectable } from '@nestjs/common';
import { DemoData, Provisions } from '../../platform/provisioning/provisioning-decorators.js';
import { ProvidedKey } from './api-tokens/platform-key.dto.js';
import { PlatformKeys } from './api-tokens/platform-keys.service.js';
import { DemoStaff } from './demo.js';
import { ProvidedUser, UserProvisioning } from './users/user-provisioning.js';

/** The sections `users` and `platformKeys`, and the demo data. Generated secrets are printed once. */
@Injectable()
export class IdentityProvisioning {
  constructor(
    private readonly users: UserProvisioning,
    private readonly keys: PlatformKeys,
    private readonly demo: DemoStaff,
  ) {}

  @DemoData(100, 'staff')
  async loadDemo(): Promise<void> {
    await this.demo.load();
  }

  @Provisions({ name: 'users', order: 100, row: ProvidedUser })
  async provideUsers(rows: readonly ProvidedUser[]): Promise<void> {
    for (const row of rows) printOnce('password', row.email, await this.users.provide(row));
  }

  /** After the operators, because a key can be bound to one. */
  @Provisions({ name: 'platformKeys', order: 330, row: ProvidedKey })
  async provideKeys(rows: readonly ProvidedKey[]): Promise<void> {
    for (const row of rows) printOnce('platform key', row.name, await this.keys.provide(row));
  }
}

function printOnce(what: string, whose: string, secret: string | null): void {
  if (secret !== null) process.stdout.write(`  ${what} of ${whose}, shown only now: ${secret}\n`);
}
