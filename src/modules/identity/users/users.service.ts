import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { containing } from '../../../platform/database/like.js';
import { make } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId, randomBase62 } from '../../../platform/ids/id.js';
import { Provisions } from '../../../platform/provisioning/provisioning-decorators.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { UserCredentialsService } from '../credentials/user-credentials.service.js';
import { printGeneratedSecret } from '../print-generated-secret.js';
import { SecurityEventsService } from '../security-events/security-events.service.js';
import { assertCallerHasScopes } from './assert-caller-has-scopes.js';
import { hashPassword, passwordMatches } from './password.js';
import { type Role, scopesOf } from './role.js';
import { type CreateUser, type ListUsers, ProvidedUser, type UpdateUser } from './user.dto.js';
import { inOrder, User } from './user.entity.js';

mapConstraint('users_email', () => conflict('email_taken', 'Another user already has this e-mail address'));

@Injectable()
export class UsersService {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly credentials: UserCredentialsService,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
  ) {}

  /** Throws 403 for roles that exceed the scopes of the caller, 409 `email_taken`. */
  async create({ email, name, roles, password }: CreateUser, id = newId('user')): Promise<User> {
    assertCallerHasScopes(scopesOf(roles));
    const passwordHash = await hashPassword(password);
    const now = this.clock.now();
    const user = make(User, {
      id,
      email,
      name,
      passwordHash,
      roles: inOrder(roles),
      active: true,
      version: 1,
      createdAt: now,
      updatedAt: now,
    });
    return this.database.transaction(async () => {
      await this.database.insert(user);
      this.record('create', user, { after: user.auditImage() });
      return user;
    });
  }

  async list(query: ListUsers): Promise<{ users: User[]; total: number }> {
    const found = this.database.repository(User).createQueryBuilder('u');
    const text = query.search === undefined ? null : containing(query.search);
    if (text !== null) found.andWhere('(u.name ilike :text or u.email ilike :text)', { text });
    if (query.role !== undefined) found.andWhere(':role = any (u.roles)', { role: query.role });
    if (query.active !== undefined) found.andWhere('u.active = :active', { active: query.active });
    const { sort = '-createdAt' } = query;
    const direction = sort.startsWith('-') ? 'DESC' : 'ASC';
    found.orderBy(`u.${sort.replace('-', '')}`, direction).addOrderBy('u.id', direction);
    const { rows, total } = await this.database.page(found, pageBounds(query));
    return { users: rows.map(({ entity }) => entity), total };
  }

  /** Throws 404. */
  async get(id: string): Promise<User> {
    const user = await this.database.repository(User).findOneBy({ id });
    if (!user) throw notFound();
    return user;
  }

  /** Throws 403 if the present or new roles exceed the scopes of the caller; 404; 409 `last_owner`; 412. */
  async update(id: string, changes: UpdateUser, expected: ExpectedVersions): Promise<User> {
    const { password, ...plain } = changes;
    const passwordHash = password === undefined ? {} : { passwordHash: await hashPassword(password) };
    return this.database.transaction(async () => {
      const { user, hasOtherOwner } = await this.lock(id);
      assertVersion(expected, user);
      assertCallerHasScopes(scopesOf([...user.roles, ...(changes.roles ?? [])]));
      const before = user.auditImage();
      const { roles, active } = user;
      const wasOwner = user.isActiveOwner();
      user.change({ ...plain, ...passwordHash }, this.clock.now());
      if (wasOwner && !user.isActiveOwner() && !hasOtherOwner) {
        throw conflict('last_owner', 'The last active owner cannot be disabled or lose the role');
      }
      await this.database.update(user);
      const ended = await this.endCredentials(user, password !== undefined);
      await this.recordSecurityEvents(user, { roles, active, hasNewPassword: password !== undefined });
      this.record('update', user, { before, after: { ...user.auditImage(), ...ended } });
      return user;
    });
  }

  /** Creates or updates users by e-mail address. */
  @Provisions({ name: 'users', order: 100, row: ProvidedUser })
  async provision(rows: readonly ProvidedUser[]): Promise<void> {
    for (const row of rows) {
      const password = await this.provisionRow(row);
      if (password !== null) printGeneratedSecret('password', row.email, password);
    }
  }

  /** Returns the password if it was generated, else null. */
  private async provisionRow(wanted: ProvidedUser): Promise<string | null> {
    const found = this.database.repository(User).createQueryBuilder('u');
    const user = await found.where('lower(u.email) = lower(:email)', { email: wanted.email }).getOne();
    return user ? this.updateFromRow(user, wanted) : this.createFromRow(wanted);
  }

  private async createFromRow({ active = true, password, ...wanted }: ProvidedUser): Promise<string | null> {
    const generated = password === undefined ? randomBase62(20) : null;
    const user = await this.create({ ...wanted, password: password ?? generated ?? '' });
    if (!active) await this.update(user.id, { active }, null);
    return generated;
  }

  private async updateFromRow(user: User, { name, roles, active = true, password }: ProvidedUser): Promise<null> {
    const hasPassword = password === undefined || (await passwordMatches(password, user.passwordHash));
    const changes = {
      ...(name === user.name ? {} : { name }),
      ...(inOrder(roles).join() === user.roles.join() ? {} : { roles }),
      ...(active === user.active ? {} : { active }),
      ...(hasPassword ? {} : { password }),
    };
    if (Object.keys(changes).length > 0) await this.update(user.id, changes, null);
    return null;
  }

  /** Locks the user and all active owners in the order of their IDs, to prevent that two owners demote each other. */
  private async lock(id: string): Promise<{ user: User; hasOtherOwner: boolean }> {
    const found = this.database.repository(User).createQueryBuilder('u').setLock('pessimistic_write');
    found.where(`u.id = :id or (u.active and 'owner' = any (u.roles))`, { id }).orderBy('u.id');
    const users = await found.getMany();
    const user = users.find((candidate) => candidate.id === id);
    if (!user) throw notFound();
    return { user, hasOtherOwner: users.some((other) => other !== user && other.isActiveOwner()) };
  }

  private async endCredentials(user: User, hasNewPassword: boolean): Promise<object> {
    const { credentialId } = currentActor();
    this.credentials.recheck();
    if (!user.active) {
      const endedSessions = await this.credentials.endSessions(user.id);
      return { endedSessions, revokedTokens: await this.credentials.revokeTokens(user.id) };
    } else if (hasNewPassword) {
      return { newPassword: true, endedSessions: await this.credentials.endSessions(user.id, credentialId) };
    } else {
      return {};
    }
  }

  private async recordSecurityEvents(
    { id: userId, roles, active }: User,
    before: { roles: Role[]; active: boolean; hasNewPassword: boolean },
  ): Promise<void> {
    if (roles.join() !== before.roles.join()) await this.events.record('roles_changed', { userId });
    if (active !== before.active) await this.events.record(active ? 'user_enabled' : 'user_disabled', { userId });
    if (before.hasNewPassword) await this.events.record('password_changed', { userId });
  }

  private record(verb: 'create' | 'update', user: User, change: { before?: object; after: object }): void {
    this.ledger.record(`identity.user.${verb}`, { subjectType: 'user', subjectId: user.id, ...change });
  }
}
