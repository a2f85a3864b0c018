import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Flag, Id, OneOf, Optional, Text, Texts, Version } from '../../../platform/http/fields.js';
import { QueryFlag, SortBy } from '../../../platform/http/query-fields.js';
import { EmailAddress, Instant } from '../../../platform/http/trade-fields.js';
import { type Role, ROLE_RULE, ROLES } from './role.js';
import type { User } from './user.entity.js';

const USER_SORTS = ['createdAt', 'name', 'email'] as const;

class UserFields {
  /** @example "Maria Rossi" */
  @Text({ max: 120 })
  name: string;

  /** What the user may do: owner everything; finance, operations and sales their areas; viewer reads everything. Only roles that allow no more than the caller may do.
   * @example ["finance", "viewer"] */
  @Texts({ ...ROLE_RULE, min: 1, max: ROLES.length, unique: true })
  roles: Role[];

  /** 12 to 200 characters, whatever they are; a new one ends the user's other sessions.
   * @example "a long sentence of their own" */
  @Text({ min: 12, max: 200, verbatim: true })
  password: string;
}

export class CreateUser extends UserFields {
  /** Unique without regard to case; the user logs in with it.
   * @example "maria.rossi@example.com" */
  @EmailAddress()
  email: string;
}

class ChangeableUser extends UserFields {
  /** `false` ends the user's sessions and tokens at once.
   * @example true */
  @Flag()
  active: boolean;
}

export class UpdateUser extends patchOf(ChangeableUser) {}

export class ListUsers extends PageQuery {
  /** Part of the name or the e-mail address, whatever its case. */
  @Optional()
  @Text({ max: 255 })
  search?: string;

  @Optional()
  @OneOf(ROLES)
  role?: Role;

  @Optional()
  @QueryFlag()
  active?: boolean;

  /** `-createdAt` unless given. */
  @Optional()
  @SortBy(USER_SORTS)
  sort?: string;
}

export class UserResponse {
  @Id('user')
  id: string;

  @EmailAddress()
  email: string;

  @Text({ max: 120 })
  name: string;

  @Texts({ ...ROLE_RULE, min: 1, max: ROLES.length, unique: true })
  roles: Role[];

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
