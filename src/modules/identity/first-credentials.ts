import { Injectable } from '@nestjs/common';
import { PLATFORM_SCOPES } from '../../platform/auth/scopes.js';
import { ConfigurationError } from '../../platform/config/configuration-error.js';
import type { Env } from '../../platform/config/env.js';
import { asSystem } from '../../platform/context/request-context.js';
import { Database } from '../../platform/database/database.js';
import { demoId } from '../../platform/ids/id.js';
import { Installation } from '../../platform/provisioning/installation.js';
import { ApiTokens } from './api-tokens/api-tokens.service.js';
import { PlatformKeys } from './api-tokens/platform-keys.service.js';
import { type FirstIssue, type FirstOwner, missingPresets, planFirstIssue } from './first-plan.js';
import { ACTIVE_OWNER, NO_OWNER } from './owner-login.js';
import { Users } from './users/users.service.js';

const LIMITED = ['data:geo:read'];
const ALL = ['connect:*', ...PLATFORM_SCOPES];

/** The first owner and the first platform keys, once per database. */
@Injectable()
export class FirstCredentials {
  constructor(
    private readonly database: Database,
    private readonly installation: Installation,
    private readonly users: Users,
    private readonly tokens: ApiTokens,
    private readonly keys: PlatformKeys,
  ) {}

  /**
   * Makes what no earlier start has made, and returns it. `keep` is called before the commit, so that there is no owner
   * whose generated password nobody has written down. Throws ConfigurationError on presets that cannot be used, and in
   * production if no owner exists afterwards.
   */
  async issue(env: Env, keep: (issue: FirstIssue) => Promise<void>): Promise<FirstIssue> {
    const { owner, platformKey, limitedPlatformKey } = planFirstIssue(env);
    const work = async () => {
      await this.refuseHalfAnOwner(env);
      const issue: FirstIssue = {
        owner: await this.once('first-owner', owner, (planned) => this.makeOwner(planned, env)),
        platformKey: await this.once('first-platform-key', platformKey, (token) =>
          this.makeKey('platform', ALL, token),
        ),
        limitedPlatformKey: await this.once('first-limited-platform-key', limitedPlatformKey, (token) =>
          this.makeKey('limited', LIMITED, token),
        ),
      };
      if (env.production) await this.requireOwner();
      await keep(issue);
      return issue;
    };
    return asSystem(() => this.database.transaction(work));
  }

  /** Only while there is none: later, a preset that was left behind must not stop a start. */
  private async refuseHalfAnOwner(env: Env): Promise<void> {
    const missing = missingPresets(env);
    if (missing.length === 0 || (await this.installation.isDone('first-owner'))) return;
    const faults = missing.map(
      (name) =>
        `${name}: is missing, so that the owner whom the other presets speak of cannot be made; expected all of them or none`,
    );
    throw new ConfigurationError(faults);
  }

  private async requireOwner(): Promise<void> {
    const owners = await this.database.query(ACTIVE_OWNER);
    if (owners.length > 0) return;
    const { name, fault, remedy } = NO_OWNER;
    throw new ConfigurationError([`${name}: ${fault}; ${remedy}`]);
  }

  /** Does the step for what was planned, unless there is nothing to do or an earlier start did it. */
  private async once<T>(step: string, planned: T | null, work: (planned: T) => Promise<void>): Promise<T | null> {
    if (planned === null || (await this.installation.isDone(step))) return null;
    await work(planned);
    await this.installation.markDone(step);
    return planned;
  }

  /** Outside production it has ids that the API document's examples can name. */
  private async makeOwner({ email, password, token }: FirstOwner, { production }: Env): Promise<void> {
    const taken = await this.database.query('select from users where lower(email) = lower($1)', [email]);
    if (taken.length > 0) {
      throw new ConfigurationError([`BOOTSTRAP_ADMIN_EMAIL: ${email} is a user already; choose another address`]);
    }
    const [userId, tokenId] = production ? [] : [demoId('user', 1), demoId('atok', 1)];
    const user = await this.users.create({ email, name: 'Owner', roles: ['owner'], password }, userId);
    if (token === null) return;
    const wanted = { userId: user.id, name: 'First token', scopes: ['*'], expiresAt: null, agreed: token };
    await this.tokens.issue(wanted, tokenId);
  }

  private async makeKey(name: string, scopes: string[], token: string): Promise<void> {
    await this.keys.provide({ name, scopes, token });
  }
}
