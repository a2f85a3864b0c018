import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { AccountMail } from '../account-mails/account-mail-listener.js';
import { type Role, scopesOf } from './role.js';
import { User } from './user.entity.js';

const MAX_OWNERS = 20;

/** Active users, for work that goes on without a credential of theirs. */
@Injectable()
export class StaffAccountsService {
  constructor(private readonly database: Database) {}

  /** Returns the present scopes of these users by their ids; a user who is not active is missing. */
  async scopesOf(ids: readonly string[]): Promise<Map<string, readonly string[]>> {
    const rows = await this.database.prepared<{ id: string; roles: Role[] }>(
      'identity-active-roles',
      'select id, roles from users where id = any ($1) and active',
      [ids],
    );
    return new Map(rows.map(({ id, roles }) => [id, scopesOf(roles)]));
  }

  /** Returns the recipient of a mail to this user, or to the owners if the user is unknown or not active. */
  async recipientsFor(id: string): Promise<AccountMail[]> {
    const users = this.database.repository(User);
    const found = await users.findBy({ id, active: true });
    if (found.length > 0) return found.map((user) => user.mailAddress());
    const owners = await users
      .createQueryBuilder('user')
      .where(`user.active and 'owner' = any (user.roles)`)
      .orderBy('user.id')
      .limit(MAX_OWNERS)
      .getMany();
    return owners.map((user) => user.mailAddress());
  }
}
