import { Injectable } from '@nestjs/common';
import { type Credential, secretMatches } from '../../../platform/ids/credentials.js';
import { RecallsCredential, VerifiesCredential } from '../../../platform/auth/token-verifier.js';
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

/** $1 the public ID of the credential, or the ID of its row. */
const SESSION = (column: 'public_id' | 'id') => `
  select s.id, s.secret_hash, s.user_id, u.roles, u.password_change_required, s.expires_at, s.last_used_at,
    f.user_id is not null as has_second_factor, s.second_factor_at
  from staff_sessions s join users u on u.id = s.user_id
    left join second_factors f on f.user_id = u.id and f.activated_at is not null
  where s.${column} = $1 and s.ended_at is null and u.active`;

const TOKEN = (column: 'public_id' | 'id') => `
  select t.id, t.secret_hash, t.scopes, t.user_id, u.roles, t.operator_id, t.expires_at
  from api_tokens t left join users u on u.id = t.user_id
  where t.${column} = $1 and t.kind = $2 and t.revoked_at is null and (t.kind = 'platform' or u.active)
    and (t.operator_id is null or exists (select from operators o where o.id = t.operator_id and o.status = 'active'))`;

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
    const [row] = await this.database.prepared<SessionRow>('identity-session', SESSION('public_id'), [publicId]);
    return this.used('staff_sessions', this.actorOfSession(genuine(row, secret)));
  }

  /** A stream that is open is no use of the session: a forgotten tab must not keep it from its end. */
  @RecallsCredential('vss')
  async sessionById(id: string): Promise<Actor | null> {
    const [row = null] = await this.database.prepared<SessionRow>('identity-session-by-id', SESSION('id'), [id]);
    return this.actorOfSession(row);
  }

  @VerifiesCredential('vsk')
  async staffToken({ publicId, secret }: Credential): Promise<Actor | null> {
    const row = await this.token('public_id', publicId, 'staff');
    return this.used('api_tokens', this.actorOfStaffToken(genuine(row, secret)));
  }

  @RecallsCredential('vsk')
  async staffTokenById(id: string): Promise<Actor | null> {
    return this.actorOfStaffToken(await this.token('id', id, 'staff'));
  }

  @VerifiesCredential('tpk')
  async platformKey({ publicId, secret }: Credential): Promise<Actor | null> {
    const row = await this.token('public_id', publicId, 'platform');
    return this.used('api_tokens', this.actorOfPlatformKey(genuine(row, secret)));
  }

  @RecallsCredential('tpk')
  async platformKeyById(id: string): Promise<Actor | null> {
    return this.actorOfPlatformKey(await this.token('id', id, 'platform'));
  }

  /**
   * Returns the actor of a session or staff token with its present scopes, for work that goes on after its request; null if the
   * credential has ended. A proof of identity was fresh when the work was requested.
   */
  async findStaff(type: ActorType, credentialId: string): Promise<Actor | null> {
    if (type !== 'user') return this.staffTokenById(credentialId);
    const session = await this.sessionById(credentialId);
    if (!session) return null;
    const { freshProofRequired: _, ...actor } = session;
    return actor;
  }

  private used(table: 'staff_sessions' | 'api_tokens', actor: Actor | null): Actor | null {
    if (actor) this.lastUses.note(table, actor.credentialId);
    return actor;
  }

  private actorOfSession(row: SessionRow | null): Actor | null {
    if (!row || this.isPast(row.expires_at) || row.last_used_at <= this.clock.inSeconds(-IDLE_SECONDS)) return null;
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

  private actorOfStaffToken(row: TokenRow | null): Actor | null {
    if (!row?.user_id || !row.roles || this.isOver(row)) return null;
    const scopes = scopesInBoth(row.scopes, scopesOf(row.roles));
    return {
      type: 'api_key',
      id: row.id,
      principal: row.user_id,
      credentialId: row.id,
      scopes,
      operatorId: null,
      expiresAt: row.expires_at,
    };
  }

  private actorOfPlatformKey(row: TokenRow | null): Actor | null {
    if (!row || this.isOver(row)) return null;
    const { id, scopes, operator_id: operatorId, expires_at: expiresAt } = row;
    return { type: 'api_key', id, principal: id, credentialId: id, scopes, operatorId, expiresAt };
  }

  private mustSetUp({ has_second_factor: hasSecondFactor }: SessionRow): boolean {
    return this.env.requireMfa && !hasSecondFactor;
  }

  private mustReauthenticate({ second_factor_at: at }: SessionRow): boolean {
    return this.env.requireMfa && (at === null || at <= this.clock.inSeconds(-FRESH_SECONDS));
  }

  private async token(
    ...[column, value, kind]: ['public_id' | 'id', string, 'staff' | 'platform']
  ): Promise<TokenRow | null> {
    const name = column === 'id' ? 'identity-token-by-id' : 'identity-token';
    const [row = null] = await this.database.prepared<TokenRow>(name, TOKEN(column), [value, kind]);
    return row;
  }

  private isOver({ expires_at: expiresAt }: TokenRow): boolean {
    return expiresAt !== null && this.isPast(expiresAt);
  }

  private isPast(instant: Date): boolean {
    return instant <= this.clock.now();
  }
}

/** The row if the secret belongs to it; an unknown credential costs the same work. */
function genuine<Row extends { secret_hash: Buffer }>(row: Row | null | undefined, secret: string): Row | null {
  const matches = secretMatches(secret, row?.secret_hash ?? null);
  return row && matches ? row : null;
}
