import { Injectable } from '@nestjs/common';
import { type CredentialKind, newCredential, parseCredential } from '../../platform/auth/credentials.js';
import { PLATFORM_SCOPES } from '../../platform/auth/scopes.js';
import { ConfigurationError } from '../../platform/config/configuration-error.js';
import { Env } from '../../platform/config/env.js';
import { asSystem } from '../../platform/context/request-context.js';
import { Database } from '../../platform/database/database.js';
import { checksum62, demoId, newId, randomBase62 } from '../../platform/id.js';
import { Installation } from '../../platform/provisioning/installation.js';
import { ApiTokens } from './api-tokens/api-tokens.service.js';
import { Users } from './users/users.service.js';

/** What the first start hands out; null is what production was not told to make. */
export interface FirstIssue {
  owner: { email: string; password: string; token: string | null } | null;
  platformKey: string | null;
  limitedPlatformKey: string | null;
}

const DEFAULT_EMAIL = 'owner@example.com';

/**
 * The first owner and the first platform keys, once per database. Whatever `BOOTSTRAP_*` does not preset is generated,
 * but never in production: there, only what was preset is made, and an owner only with address and password.
 */
@Injectable()
export class FirstCredentials {
  constructor(
    private readonly env: Env,
    private readonly database: Database,
    private readonly installation: Installation,
    private readonly users: Users,
    private readonly tokens: ApiTokens,
  ) {}

  /**
   * Makes what an earlier start has not made, and returns it. `keep` is called before the commit, so that there is no
   * owner whose generated password nobody has written down. Throws ConfigurationError on a preset that is no token.
   */
  async issue(keep: (issue: FirstIssue) => Promise<void>): Promise<FirstIssue> {
    const planned = this.plan();
    return asSystem(() =>
      this.database.transaction(async () => {
        const issue: FirstIssue = {
          owner: planned.owner && (await this.once('first-owner', () => this.makeOwner(planned.owner))),
          platformKey: await this.once('first-platform-key', () => this.makeKey('platform', planned.platformKey)),
          limitedPlatformKey: await this.once('first-limited-platform-key', () =>
            this.makeKey('limited', planned.limitedPlatformKey),
          ),
        };
        await keep(issue);
        return issue;
      }),
    );
  }

  private plan(): FirstIssue {
    const { production, bootstrapAdminEmail, bootstrapAdminPassword } = this.env;
    const generate = <T>(make: () => T): T | null => (production ? null : make());
    const email = bootstrapAdminEmail ?? generate(() => DEFAULT_EMAIL);
    const password = bootstrapAdminPassword ?? generate(() => randomBase62(20));
    const token = preset('BOOTSTRAP_STAFF_TOKEN', this.env.bootstrapStaffToken) ?? generate(() => newToken('vsk'));
    return {
      owner: email !== null && password !== null ? { email, password, token } : null,
      platformKey: preset('BOOTSTRAP_PLATFORM_KEY', this.env.bootstrapPlatformKey) ?? generate(() => newToken('tpk')),
      limitedPlatformKey: generate(() => newToken('tpk')),
    };
  }

  private async once<T>(step: string, work: () => Promise<T | null>): Promise<T | null> {
    if (await this.installation.isDone(step)) return null;
    const made = await work();
    if (made !== null) await this.installation.markDone(step);
    return made;
  }

  private async makeOwner(owner: FirstIssue['owner']): Promise<FirstIssue['owner']> {
    if (!owner) return null;
    const { email, password, token } = owner;
    const user = await this.users.create({ email, name: 'Owner', roles: ['owner'], password }, this.id('user'));
    if (token !== null) {
      const wanted = { kind: 'staff', name: 'First token', scopes: ['*'], userId: user.id, token } as const;
      await this.tokens.issue({ ...wanted, scopes: ['*'] }, this.id('atok'));
    }
    return owner;
  }

  private async makeKey(name: 'platform' | 'limited', token: string | null): Promise<string | null> {
    if (token === null) return null;
    const scopes = name === 'limited' ? ['data:geo:read'] : ['connect:*', ...PLATFORM_SCOPES];
    await this.tokens.issue({ kind: 'platform', name, scopes, token });
    return token;
  }

  /** Outside production the first ones have ids that the API document's examples can name. */
  private id(prefix: string): string {
    return this.env.production ? newId(prefix) : demoId(prefix, 1);
  }
}

function newToken(kind: CredentialKind): string {
  return newCredential(kind).token;
}

function preset(name: string, token: string | null): string | null {
  if (token === null || parseCredential(token)) return token;
  const checksum = checksum62(token.slice(-49, -6));
  throw new ConfigurationError([`${name}: its checksum is wrong; the last six characters must be ${checksum}`]);
}
