import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Flag, Optional, Text, Texts } from '../../../platform/http/fields.js';
import { EmailAddress } from '../../../platform/http/trade-fields.js';
import { randomBase62 } from '../../../platform/ids/id.js';
import { passwordMatches } from './password.js';
import { type Role, ROLE_RULE, ROLES } from './role.js';
import { inOrder, User } from './user.entity.js';
import { Users } from './users.service.js';

/** A user as he shall be: a row of the section `users`. */
export class ProvidedUser {
  @EmailAddress()
  email: string;

  @Text({ max: 120 })
  name: string;

  @Texts({ ...ROLE_RULE, min: 1, max: ROLES.length, unique: true })
  roles: Role[];

  /** `true` unless given. */
  @Optional()
  @Flag()
  active?: boolean;

  /** Unless given, the one that he has; a new user's is generated. */
  @Optional()
  @Text({ min: 12, max: 200, verbatim: true })
  password?: string;
}

@Injectable()
export class UserProvisioning {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
  ) {}

  /** Makes the user, known by the address, or changes him. Returns a password if it was generated here, else null. */
  async provide(wanted: ProvidedUser): Promise<string | null> {
    const found = this.database.repository(User).createQueryBuilder('u');
    const user = await found.where('lower(u.email) = lower(:email)', { email: wanted.email }).getOne();
    return user ? this.change(user, wanted) : this.create(wanted);
  }

  private async create({ active = true, password, ...wanted }: ProvidedUser): Promise<string | null> {
    const generated = password === undefined ? randomBase62(20) : null;
    const user = await this.users.create({ ...wanted, password: password ?? generated ?? '' });
    if (!active) await this.users.update(user.id, { active }, null);
    return generated;
  }

  private async change(user: User, { name, roles, active = true, password }: ProvidedUser): Promise<null> {
    const hasPassword = password === undefined || (await passwordMatches(password, user.passwordHash));
    const changes = {
      ...(name === user.name ? {} : { name }),
      ...(inOrder(roles).join() === user.roles.join() ? {} : { roles }),
      ...(active === user.active ? {} : { active }),
      ...(hasPassword ? {} : { password }),
    };
    if (Object.keys(changes).length > 0) await this.users.update(user.id, changes, null);
    return null;
  }
}
