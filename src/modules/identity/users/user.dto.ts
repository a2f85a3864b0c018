import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Flag, Id, OneOf, Optional, Text, Texts, Version } from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { EmailAddress, Instant } from '../../../platform/http/trade-fields.js';
import { type Role, ROLE_RULE, ROLES } from './role.js';
import type { User } from './user.entity.js';

const USER_SORTS = ['createdAt', 'name', 'email'] as const;

class UserFields {
  /**
   * Name for display.
   * @example "Maria Rossi"
   */
  @Text({ max: 120 })
  name: string;

  /**
   * What the user is permitted to do: `owner` everything; `finance`, `operations` and `sales` their areas; `viewer`
   * reads everything. The caller can only assign roles that allow no more than its own scopes.
   * @example ["finance", "viewer"]
   */
  @Texts({ ...ROLE_RULE, min: 1, max: ROLES.length, unique: true })
  roles: Role[];

  /**
   * 12 to 200 characters of any kind. A new password ends all other sessions of the user.
   * @example "a long sentence of their own"
   */
  @Text({ min: 12, max: 200, verbatim: true })
  password: string;
}

/** A new staff user. */
export class CreateUser extends UserFields {
  /**
   * Address for login, unique ignoring case. It cannot be changed later.
   * @example "maria.rossi@example.com"
   */
  @EmailAddress()
  email: string;
}

class ChangeableUser extends UserFields {
  /**
   * `false` ends all sessions and API tokens of the user at once.
   * @example true
   */
  @Flag()
  active: boolean;
}

/** Changes of a staff user; fields that are not sent keep their value. The e-mail address is fixed. */
export class UpdateUser extends patchOf(ChangeableUser) {}

/** Filters and paging of the list of staff users. */
export class ListUsers extends PageQuery {
  /** Only users with this text in the name or the e-mail address, ignoring case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  /** Only users with this role. */
  @Optional()
  @OneOf(ROLES)
  role?: Role;

  /** Only enabled (`true`) or only disabled (`false`) users. */
  @Optional()
  @QueryFlag()
  active?: boolean;

  /** Order of the list; `-createdAt` (newest first) by default. */
  @Optional()
  @SortBy(USER_SORTS)
  sort?: string;
}

/** A row of the provisioning section `users`. */
export class ProvidedUser {
  @EmailAddress()
  email: string;

  @Text({ max: 120 })
  name: string;

  @Texts({ ...ROLE_RULE, min: 1, max: ROLES.length, unique: true })
  roles: Role[];

  /** `true` by default. */
  @Optional()
  @Flag()
  active?: boolean;

  /** By default an existing user keeps the password, and a new user gets a generated one. */
  @Optional()
  @Text({ min: 12, max: 200, verbatim: true })
  password?: string;
}

/** A staff user. */
export class UserResponse {
  @Id('user')
  id: string;

  /** Address for login, unique ignoring case. */
  @EmailAddress()
  email: string;

  /** Name for display. */
  @Text({ max: 120 })
  name: string;

  /** What the user is permitted to do. */
  @Texts({ ...ROLE_RULE, min: 1, max: ROLES.length, unique: true })
  roles: Role[];

  /** Whether the user can log in and use API tokens. */
  @Flag()
  active: boolean;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toUser(user: User): UserResponse {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    roles: user.roles,
    active: user.active,
    version: user.version,
    createdAt: user.createdAt.toISOString(),
    updatedAt: user.updatedAt.toISOString(),
  };
}

export class UserEnvelope extends dataOf(UserResponse) {}
export class UserPage extends pageOf(UserResponse) {}
