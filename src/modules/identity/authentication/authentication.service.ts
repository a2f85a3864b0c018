import { Injectable } from '@nestjs/common';
import { type Credential, secretMatches } from '../../../platform/ids/credentials.js';
import { VerifiesCredential } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import type { Actor, ActorType } from '../../../platform/context/actor.js';
import { Database } from '../../../platform/database/database.js';
import { IDLE_SECONDS } from '../sessions/session-lifetime.js';
import { type Role, scopesInBoth, scopesOf } from '../users/role.js';
import { LastUsesService } from './last-uses.service.js';

/** The time for which a proof of the second factor is fresh, with `REQUIRE_MFA`. */
const FRESH_SECONDS = 15 * 60;

interface SessionRow {
  id: string;
  secret_hash: Buffer;
  user_id: string;
  roles: Role[];
  password_change_required: boolean;
  has_second_factor: boolean;
  second_factor_at: Date | null;
  expires_at: Date;
  last_used_at: Date;
}

interface TokenRow {
  id: string;
  secret_hash: Buffer;
  scopes: string[];
  user_id: string | null;
  roles: Role[] | null;
  operator_id: string | null;
  expires_at: Date | null;
}

const SESSION = `
  select s.id, s.secret_hash, s.user_id, u.roles, u.password_change_required, s.expires_at, s.last_used_at,
    f.user_id is not null as has_second_factor, s.second_factor_at
  from staff_sessions s join users u on u.id = s.user_id
    left join second_factors f on f.user_id = u.id and f.activated_at is not null
  where s.ended_at is null and u.active and `;

const TOKEN = `
  select t.id, t.secret_hash, t.scopes, t.user_id, u.roles, t.operator_id, t.expires_at
  from api_tokens t left join users u on u.id = t.user_id
  where t.kind = $2 and t.revoked_at is null and (t.kind = 'platform' or u.active)
    and (t.operator_id is null or exists (select from operators o where o.id = t.operator_id and o.status = 'active')) and `;

/**
 * Verifies sessions, staff tokens and platform keys, each with one indexed statement. A key that is bound to an operator
 * works on every surface only while the operator is active.
 */
@Injectable()
export class AuthenticationService {
  constructor(
    private readonly database: Database,
    private readonly lastUses: LastUsesService,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  @VerifiesCredential('vss')
  async session({ publicId, secret }: Credential): Promise<Actor | null> {
    const text = `${SESSION}s.public_id = $1`;
    const [row = null] = await this.database.prepared<SessionRow>('identity-session', text, [publicId]);
    const matches = secretMatches(secret, row?.secret_hash ?? null);
    if (!row || !matches || this.hasEnded(row)) return null;
    this.lastUses.note('staff_sessions', row.id);
    return this.userOf(row);
  }

  @VerifiesCredential('vsk')
  async staffToken(credential: Credential): Promise<Actor | null> {
    const row = await this.token(credential, 'staff');
    return row && staffActorOf(row);
  }

  @VerifiesCredential('tpk')
  async platformKey(credential: Credential): Promise<Actor | null> {
    const row = await this.token(credential, 'platform');
    if (!row) return null;
    const { id, scopes, operator_id: operatorId, expires_at: expiresAt } = row;
    return { type: 'api_key', id, principal: id, credentialId: id, scopes, operatorId, expiresAt };
  }

  /**
   * Returns the actor of a session or staff token with its present scopes, for work that goes on after its request; null if the
   * credential has ended. A proof of identity was fresh when the work was requested.
   */
  async findStaff(type: ActorType, credentialId: string): Promise<Actor | null> {
    if (type === 'user') {
      const text = `${SESSION}s.id = $1`;
      const [row] = await this.database.prepared<SessionRow>('identity-session-by-id', text, [credentialId]);
      if (!row || this.hasEnded(row)) return null;
      const { freshProofRequired: _, ...actor } = this.userOf(row);
      return actor;
    }
    const text = `${TOKEN}t.id = $1`;
    const [row] = await this.database.prepared<TokenRow>('identity-token-by-id', text, [credentialId, 'staff']);
    return row && !this.isPast(row.expires_at) ? staffActorOf(row) : null;
  }

  private userOf(row: SessionRow): Actor {
    return {
      type: 'user',
      id: row.user_id,
      principal: row.user_id,
      credentialId: row.id,
      scopes: row.password_change_required || this.mustSetUp(row) ? [] : scopesOf(row.roles),
      operatorId: null,
      // Tokens that a user creates do not end with the session.
      expiresAt: null,
      ...(row.password_change_required ? { passwordChangeRequired: true } : {}),
      ...(this.mustSetUp(row) ? { secondFactorSetupRequired: true } : {}),
      ...(this.mustReauthenticate(row) ? { freshProofRequired: true } : {}),
    };
  }

  private mustSetUp({ has_second_factor: hasSecondFactor }: SessionRow): boolean {
    return this.env.requireMfa && !hasSecondFactor;
  }

  private mustReauthenticate({ second_factor_at: at }: SessionRow): boolean {
    return this.env.requireMfa && (at === null || at <= this.clock.inSeconds(-FRESH_SECONDS));
  }

  private async token({ publicId, secret }: Credential, kind: 'staff' | 'platform'): Promise<TokenRow | null> {
    const text = `${TOKEN}t.public_id = $1`;
    const [row = null] = await this.database.prepared<TokenRow>('identity-token', text, [publicId, kind]);
    const matches = secretMatches(secret, row?.secret_hash ?? null);
    if (!row || !matches || this.isPast(row.expires_at)) return null;
    this.lastUses.note('api_tokens', row.id);
    return row;
  }

  private hasEnded({ expires_at: expiresAt, last_used_at: lastUsedAt }: SessionRow): boolean {
    return this.isPast(expiresAt) || lastUsedAt <= this.clock.inSeconds(-IDLE_SECONDS);
  }

  private isPast(instant: Date | null): boolean {
    return instant !== null && instant <= this.clock.now();
  }
}

/** Null for a token without a user. */
function staffActorOf({ id, user_id: userId, roles, scopes, expires_at: expiresAt }: TokenRow): Actor | null {
  if (!userId || !roles) return null;
  return {
    type: 'api_key',
    id,
    principal: userId,
    credentialId: id,
    scopes: scopesInBoth(scopes, scopesOf(roles)),
    operatorId: null,
    expiresAt,
  };
}
