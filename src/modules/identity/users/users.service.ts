import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { refuseOn } from '../../../platform/errors/database-refusals.js';
import { newId } from '../../../platform/id.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { hashPassword } from './password.js';
import { type Role, ROLES } from './role.js';
import { toUser } from './user.dto.js';
import { User } from './user.entity.js';

refuseOn('users_email', () => conflict('email_taken', 'Another user has this e-mail address'));

export interface NewUser {
  email: string;
  name: string;
  roles: Role[];
  password: string;
}

@Injectable()
export class Users {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly clock: Clock,
  ) {}

  /** Throws 409 `email_taken`. */
  async create({ email, name, roles, password }: NewUser, id = newId('user')): Promise<User> {
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
    await this.database.transaction(async () => {
      await this.database.insert(user);
      this.ledger.record('identity.user.create', { subjectType: 'user', subjectId: id, after: toUser(user) });
    });
    return user;
  }
}

function inOrder(roles: readonly Role[]): Role[] {
  return ROLES.filter((role) => roles.includes(role));
}
