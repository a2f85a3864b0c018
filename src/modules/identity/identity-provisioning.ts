import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Provisioning } from '../../platform/provisioning/provisioning.js';
import { ProvidedKey } from './api-tokens/platform-key.dto.js';
import { PlatformKeys } from './api-tokens/platform-keys.service.js';
import { DemoStaff } from './demo.js';
import { ProvidedUser, UserProvisioning } from './users/user-provisioning.js';

/** The sections `users` and `platformKeys`, and the demo data. What is generated is printed, once. */
@Injectable()
export class IdentityProvisioning implements OnModuleInit {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly users: UserProvisioning,
    private readonly keys: PlatformKeys,
    private readonly demo: DemoStaff,
  ) {}

  onModuleInit(): void {
    const { provisioning } = this;
    provisioning.section('users', { order: 100, row: ProvidedUser, apply: (rows) => this.provideUsers(rows) });
    // After the operators, which they may be bound to.
    provisioning.section('platformKeys', { order: 330, row: ProvidedKey, apply: (rows) => this.provideKeys(rows) });
    provisioning.demo(100, 'staff', () => this.demo.load());
  }

  private async provideUsers(rows: readonly ProvidedUser[]): Promise<void> {
    for (const row of rows) printOnce('password', row.email, await this.users.provide(row));
  }

  private async provideKeys(rows: readonly ProvidedKey[]): Promise<void> {
    for (const row of rows) printOnce('platform key', row.name, await this.keys.provide(row));
  }
}

function printOnce(what: string, whose: string, secret: string | null): void {
  if (secret !== null) process.stdout.write(`  ${what} of ${whose}, shown only now: ${secret}\n`);
}
