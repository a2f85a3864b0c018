import { dataOf, PageQuery, pageOf } from '../../../platform/http/dto.js';
import { Id, OneOf, Optional, Text, Texts, Version } from '../../../platform/http/fields.js';
import { EmailAddress, Instant } from '../../../platform/http/trade-fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { PASSWORD_RULE } from '../users/password-policy.js';
import { type Role, ROLE_RULE, ROLES } from '../users/role.js';
import { UserResponse } from '../users/user.dto.js';
import { type Invitation, INVITATION_STATUSES, type InvitationStatus } from './invitation.entity.js';

/** A person to invite. */
export class CreateInvitation {
  /**
   * Address that receives the link and is later used for login. It cannot be changed later.
   * @example "maria.rossi@example.com"
   */
  @EmailAddress()
  email: string;

  /**
   * Name for display.
   * @example "Maria Rossi"
   */
  @Text({ max: 120 })
  name: string;

  /**
   * Roles of the new user. The caller can only assign roles that allow no more than its own scopes.
   * @example ["finance", "viewer"]
   */
  @Texts({ ...ROLE_RULE, min: 1, max: ROLES.length, unique: true })
  roles: Role[];
}

/** The one-time token of an invitation, and the password that the invited person chooses. */
export class AcceptInvitation {
  /**
   * The one-time token. Copy it from the link in the mail of `POST /v1/admin/identity/invitations`.
   * @example "as the mail contains it"
   */
  @Text({ max: 300 })
  token: string;

  /**
   * 12 to 256 characters of any kind, none of the most common passwords, and neither the name nor the e-mail address.
   * @example "a long sentence of their own"
   */
  @Text(PASSWORD_RULE)
  password: string;
}

/** Filters and paging of the list of invitations. */
export class ListInvitations extends PageQuery {
  /** Only invitations with one of these statuses. */
  @Optional()
  @AnyOf(INVITATION_STATUSES)
  status?: InvitationStatus[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. */
  @Optional()
  @SortBy(['createdAt', 'expiresAt'])
  sort?: string;
}

/** An invitation, without its link. */
export class InvitationResponse {
  @Id('invt')
  id: string;

  /** Address that gets the link. */
  @EmailAddress()
  email: string;

  /** Name for display. */
  @Text({ max: 120 })
  name: string;

  /** Roles of the new user. */
  @Texts({ ...ROLE_RULE, min: 1, max: ROLES.length, unique: true })
  roles: Role[];

  /** `expired`: the newest link has ended, and another one can be sent. */
  @OneOf(INVITATION_STATUSES)
  status: InvitationStatus;

  /** The user who sent the newest link; null if the service did. */
  @Id('user')
  invitedBy: string | null;

  /** The user created by the acceptance; null before it. */
  @Id('user')
  userId: string | null;

  /** End of the newest link. */
  @Instant()
  expiresAt: string;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

export function toInvitation(invitation: Invitation, now: Date): InvitationResponse {
  return respond(InvitationResponse, invitation, { status: invitation.statusAt(now) });
}

/** The user created by the acceptance, and the device that becomes known. */
class AcceptedInvitation extends UserResponse {
  /**
   * Send it with logins from this device: failed logins from other devices then do not limit them. It does not replace the
   * password.
   */
  @Text({ max: 200 })
  deviceToken: string;
}

export class AcceptedInvitationEnvelope extends dataOf(AcceptedInvitation) {}
export class InvitationEnvelope extends dataOf(InvitationResponse) {}
export class InvitationPage extends pageOf(InvitationResponse) {}
