import { Injectable } from '@nestjs/common';
import { assertSession } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { currentContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { containsWordsSql } from '../../../platform/database/like.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { type AppError, conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { checkedAs } from '../../../platform/http/format-check.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId, randomBase62 } from '../../../platform/ids/id.js';
import { Provisions, type RevealSecret } from '../../../platform/provisioning/provisioning-decorators.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import {
  ActionLedger,
  assertUnchangedSince,
  type RecordedAction,
  type ReversalResult,
  Reverses,
} from '../../action-ledger/index.js';
import { AccountLinksService } from '../account-links/account-links.service.js';
import { UserCredentialsService } from '../credentials/user-credentials.service.js';
import { SecurityEventsService } from '../security-events/security-events.service.js';
import { assertCallerHasScopes } from './assert-caller-has-scopes.js';
import { assertHardToGuess, type PasswordOwner } from './password-policy.js';
import { hashPassword } from './password.js';
import { type Role, scopesOf } from './role.js';
import { type ListUsers, ProvidedUser, RestoredUser, type UpdateOwnAccount, type UpdateUser } from './user.dto.js';
import { inOrder, User, type UserChanges } from './user.entity.js';

mapConstraint('users_email', emailTaken);

interface UserFields {
  email: string;
  name: string;
  roles: readonly Role[];
}

interface CreateUser extends UserFields {
  password: string;
  passwordChangeRequired?: boolean;
}

interface NewUser extends UserFields {
  passwordHash: string;
  passwordChangeRequired: boolean;
}

/** Manages staff users, who come from invitations, from provisioning and from the first start. */
@Injectable()
export class UsersService {
  private readonly rows: Rows<User>;

  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly credentials: UserCredentialsService,
    private readonly links: AccountLinksService,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {
    this.rows = database.rows(User);
  }

  /** Creates a user with a password chosen by another person. */
  async create({ password, passwordChangeRequired = false, ...values }: CreateUser, id = newId('user')): Promise<User> {
    assertCallerHasScopes(scopesOf(values.roles));
    const passwordHash = await hashPassword(password);
    return this.database.transaction(() => this.add({ ...values, passwordHash, passwordChangeRequired }, id));
  }

  /** Adds a user in the running transaction. Without a caller the new user is recorded as the actor. */
  async add({ roles, ...values }: NewUser, id = newId('user')): Promise<User> {
    const now = this.clock.now();
    const user = make(User, { ...values, id, roles: inOrder(roles), active: true, createdAt: now });
    await this.database.insert(user);
    const change = { subjectType: 'user', subjectId: user.id, after: user.auditImage() };
    this.ledger.recordAs(currentContext().actor ?? { type: 'user', id: user.id }, 'identity.user.create', change);
    return user;
  }

  /** The unique index decides between users added concurrently. */
  async assertEmailFree(email: string): Promise<void> {
    const taken = await this.database.query('select from users where lower(email) = lower($1)', [email]);
    if (taken.length > 0) throw emailTaken();
  }

  async list(query: ListUsers): Promise<{ users: User[]; total: number }> {
    const found = this.database.repository(User).createQueryBuilder('u');
    const { search } = query;
    if (search !== undefined) found.andWhere(containsWordsSql('u.search_text', ':search'), { search });
    if (query.role !== undefined) found.andWhere('u.roles && cast(:role as text[])', { role: query.role });
    if (query.active !== undefined) found.andWhere('u.active = :active', { active: query.active });
    const { sort = '-createdAt' } = query;
    sortRows(found, sort);
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { users: rows.map(({ entity }) => entity), total };
  }

  async get(id: string): Promise<User> {
    return this.rows.get(id);
  }

  /** Ignores case. */
  async getByAddress(email: string): Promise<User> {
    const user = await this.findByAddress(email);
    if (!user) throw notFound();
    return user;
  }

  /** The caller must have the scopes of the current and new roles. */
  async update(id: string, changes: UpdateUser, expected: ExpectedVersions): Promise<User> {
    return this.database.transaction(async () => {
      const { user, hasOtherOwner } = await this.lock(id);
      assertVersion(expected, user);
      const images = await this.change(user, changes, hasOtherOwner);
      this.record(user, images);
      return user;
    });
  }

  /** Changes the account of the caller. */
  async updateOwn(changes: UpdateOwnAccount, expected: ExpectedVersions): Promise<User> {
    const { principal } = assertSession();
    return this.database.transaction(async () => {
      const user = await this.rows.lock(principal);
      assertVersion(expected, user);
      const before = user.auditImage();
      user.change(changes, this.clock.now());
      await this.rows.update(user);
      this.record(user, { before, after: user.auditImage() });
      return user;
    });
  }

  /**
   * Restores name, roles, language and status; sessions and tokens that the change has ended remain ended. The caller must have
   * the scopes of the roles.
   */
  @Reverses('identity.user.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    const { user, hasOtherOwner } = await this.lock(entry.subjectId);
    assertUnchangedSince(entry, user);
    return this.change(user, await checkedAs(RestoredUser, entry.before), hasOtherOwner);
  }

  /** Creates or updates users by e-mail address. */
  @Provisions({ name: 'users', order: 100, row: ProvidedUser })
  async provision(rows: readonly ProvidedUser[], reveal: RevealSecret): Promise<void> {
    for (const row of rows) {
      const password = await this.provisionRow(row);
      if (password !== null) reveal({ kind: 'password', owner: row.email, secret: password });
    }
  }

  /** Returns the password if it was generated, otherwise null. */
  private async provisionRow(wanted: ProvidedUser): Promise<string | null> {
    const user = await this.findByAddress(wanted.email);
    return user ? this.updateFromRow(user, wanted) : this.createFromRow(wanted);
  }

  private async findByAddress(email: string): Promise<User | null> {
    const found = this.database.repository(User).createQueryBuilder('u');
    return found.where('lower(u.email) = lower(:email)', { email }).getOne();
  }

  private async createFromRow({ active = true, password, ...wanted }: ProvidedUser): Promise<string | null> {
    if (password !== undefined && this.env.production) rejectWeakPassword(password, wanted);
    const generated = password === undefined ? randomBase62(20) : null;
    const initial = { password: password ?? generated ?? '', passwordChangeRequired: true };
    const user = await this.create({ ...wanted, ...initial });
    if (!active) await this.update(user.id, { active }, null);
    return generated;
  }

  private async updateFromRow(user: User, { name, roles, active = true }: ProvidedUser): Promise<null> {
    const changes = {
      ...(name === user.name ? {} : { name }),
      ...(inOrder(roles).join() === user.roles.join() ? {} : { roles }),
      ...(active === user.active ? {} : { active }),
    };
    if (Object.keys(changes).length > 0) await this.update(user.id, changes, null);
    return null;
  }

  /** Locks the user and all active owners in the order of their IDs, so that two owners cannot demote each other. */
  private async lock(id: string): Promise<{ user: User; hasOtherOwner: boolean }> {
    const found = this.database.repository(User).createQueryBuilder('u').setLock('pessimistic_write');
    found.where(`u.id = :id or (u.active and 'owner' = any (u.roles))`, { id }).orderBy('u.id');
    const users = await found.getMany();
    const user = users.find((candidate) => candidate.id === id);
    if (!user) throw notFound();
    return { user, hasOtherOwner: users.some((other) => other !== user && other.isActiveOwner()) };
  }

  /** Changes the locked user with all consequences; returns the audit snapshots. */
  private async change(user: User, changes: UserChanges, hasOtherOwner: boolean) {
    assertCallerHasScopes(scopesOf([...user.roles, ...(changes.roles ?? [])]));
    const before = user.auditImage();
    const { roles, active } = user;
    const wasOwner = user.isActiveOwner();
    user.change(changes, this.clock.now());
    if (wasOwner && !user.isActiveOwner() && !hasOtherOwner) {
      throw conflict('last_owner', 'The last active owner cannot be disabled or lose the role');
    }
    await this.rows.update(user);
    this.credentials.recheck();
    const ended = user.active ? {} : await this.endCredentials(user.id);
    const { id: userId } = user;
    if (user.roles.join() !== roles.join()) await this.events.record('roles_changed', { userId });
    if (user.active !== active) await this.events.record(user.active ? 'user_enabled' : 'user_disabled', { userId });
    return { before, after: { ...user.auditImage(), ...ended } };
  }

  /** Ends the links of a disabled user. They do not work again when the user is enabled. */
  private async endCredentials(userId: string): Promise<{ endedSessions: number; revokedTokens: number }> {
    await this.links.endAllOf(userId);
    const endedSessions = await this.credentials.endSessions(userId);
    return { endedSessions, revokedTokens: await this.credentials.revokeTokens(userId) };
  }

  private record({ id }: User, images: { before: object; after: object }): void {
    this.ledger.record('identity.user.update', { subjectType: 'user', subjectId: id, ...images });
  }
}

function emailTaken(): AppError {
  return conflict('email_taken', 'Another user already has this e-mail address');
}

/** Throws an Error for the operator if users could not choose this password. */
function rejectWeakPassword(password: string, owner: PasswordOwner): void {
  try {
    assertHardToGuess(password, owner);
  } catch (error) {
    throw new Error(`users: ${owner.email}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
