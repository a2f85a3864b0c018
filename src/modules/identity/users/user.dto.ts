import { Flag, Id, Text, Texts, Whole } from '../../../platform/http/fields.js';
import { EmailAddress, Instant } from '../../../platform/http/trade-fields.js';
import { ROLES, type Role } from './role.js';
import type { User } from './user.entity.js';

const ROLE = new RegExp(`^(${ROLES.join('|')})$`);

export class UserResponse {
  @Id('user')
  id: string;

  @EmailAddress()
  email: string;

  @Text({ max: 120 })
  name: string;

  @Texts({ min: 1, max: ROLES.length, maxLength: 20, pattern: ROLE })
  roles: Role[];

  @Flag()
  active: boolean;

  /** Raised by every change; also the ETag. */
  @Whole({ min: 1, max: 2_147_483_647 })
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
