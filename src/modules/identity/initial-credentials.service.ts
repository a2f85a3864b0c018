import { Injectable } from '@nestjs/common';
import { PLATFORM_SCOPES } from '../../platform/auth/scopes.js';
import { ConfigurationError } from '../../platform/config/configuration-error.js';
import type { Env } from '../../platform/config/env.js';
import { asSystem } from '../../platform/context/request-context.js';
import { Database } from '../../platform/database/database.js';
import { AppError } from '../../platform/errors/app-error.js';
import { demoId } from '../../platform/ids/id.js';
import { Installation } from '../../platform/provisioning/provisioning.js';
import { ApiTokensService } from './api-tokens/api-tokens.service.js';
import { PlatformKeysService } from './api-tokens/platform-keys.service.js';
import {
  type InitialCredentials,
  type InitialOwner,
  missingPresets,
  planInitialCredentials,
} from './initial-credentials.js';
import { ACTIVE_OWNER, NO_OWNER } from './owner-login.js';
import { assertHardToGuess, type PasswordOwner } from './users/password-policy.js';
import { UsersService } from './users/users.service.js';

const LIMITED = ['data:geo:read'];
const ALL = ['connect:*', ...PLATFORM_SCOPES];

/** Creates the first owner and the first platform keys, once per database. */
@Injectable()
export class InitialCredentialsService {
  constructor(
    private readonly database: Database,
    private readonly installation: Installation,
    private readonly users: UsersService,
    private readonly tokens: ApiTokensService,
    private readonly keys: PlatformKeysService,
  ) {}

  /**
   * Creates the credentials that no earlier start has created, and returns them. `keep` is called before the commit, to
   * prevent an owner whose generated password is stored nowhere. Throws ConfigurationError for invalid presets, and in
   * production if no owner exists afterwards.
   */
  async issue(env: Env, keep: (issue: InitialCredentials) => Promise<void>): Promise<InitialCredentials> {
    const { owner, platformKey, limitedPlatformKey } = planInitialCredentials(env);
    const work = async () => {
      await this.rejectIncompletePresets(env);
      const issue: InitialCredentials = {
        owner: await this.once('first-owner', owner, (planned) => this.createOwner(planned, env)),
        platformKey: await this.once('first-platform-key', platformKey, (token) =>
          this.createKey('platform', ALL, token),
        ),
        limitedPlatformKey: await this.once('first-limited-platform-key', limitedPlatformKey, (token) =>
          this.createKey('limited', LIMITED, token),
        ),
      };
      if (env.production) await this.requireOwner();
      await keep(issue);
      return issue;
    };
    return asSystem(() => this.database.transaction(work));
  }

  /** Checked only before the first owner is created: later, a remaining preset must not stop a start. */
  private async rejectIncompletePresets(env: Env): Promise<void> {
    const missing = missingPresets(env);
    if (missing.length === 0 || (await this.installation.isDone('first-owner'))) return;
    const faults = missing.map((name) => `${name}: missing; set all presets of the owner or none`);
    throw new ConfigurationError(faults);
  }

  private async requireOwner(): Promise<void> {
    const owners = await this.database.query(ACTIVE_OWNER);
    if (owners.length > 0) return;
    const { name, fault, remedy } = NO_OWNER;
    throw new ConfigurationError([`${name}: ${fault}; ${remedy}`]);
  }

  /** Runs the step unless nothing is planned or an earlier start has run it. */
  private async once<T>(step: string, planned: T | null, work: (planned: T) => Promise<void>): Promise<T | null> {
    if (planned === null || (await this.installation.isDone(step))) return null;
    await work(planned);
    await this.installation.markDone(step);
    return planned;
  }

  /**
   * In production the author of the configuration knows the password, so it must be changed at the first login. Elsewhere the
   * owner has the IDs that the examples of the API document use.
   */
  private async createOwner({ email, password, token }: InitialOwner, { production }: Env): Promise<void> {
    const taken = await this.database.query('select from users where lower(email) = lower($1)', [email]);
    if (taken.length > 0) {
      throw new ConfigurationError([`BOOTSTRAP_ADMIN_EMAIL: ${email} is a user already; choose another address`]);
    }
    const name = 'Owner';
    if (production) rejectWeakPassword(password, { name, email });
    const [userId, tokenId] = production ? [] : [demoId('user', 1), demoId('atok', 1)];
    const owner = { email, name, roles: ['owner' as const], password, passwordChangeRequired: production };
    const user = await this.users.create(owner, userId);
    if (token === null) return;
    const wanted = { userId: user.id, name: 'First token', scopes: ['*'], expiresAt: null, presetToken: token };
    await this.tokens.issue(wanted, tokenId);
  }

  private async createKey(name: string, scopes: string[], token: string): Promise<void> {
    await this.keys.provide({ name, scopes, token });
  }
}

/** Throws ConfigurationError if users could not choose this password. */
function rejectWeakPassword(password: string, owner: PasswordOwner): void {
  try {
    assertHardToGuess(password, owner);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new ConfigurationError([`BOOTSTRAP_ADMIN_PASSWORD: ${error.message}`]);
  }
}
