import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { Public, RequireScope } from '../../../platform/auth/access.js';
import { Clock } from '../../../platform/clock/clock.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { type ExpectedVersions, IfMatch } from '../../../platform/http/if-match.js';
import { NoBody } from '../../../platform/http/no-body.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, created, tagged } from '../../../platform/http/response-headers.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { Mutates, MutatesForNobody } from '../../../platform/idempotency/mutates.js';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { toUser } from '../users/user.dto.js';
import {
  AcceptedInvitationEnvelope,
  AcceptInvitation,
  CreateInvitation,
  InvitationEnvelope,
  InvitationPage,
  ListInvitations,
  toInvitation,
} from './invitation.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { InvitationsService } from './invitations.service.js';

const PATH = '/v1/admin/identity/invitations';

@ApiGroup('Users and sessions')
@Controller(PATH)
export class InvitationsController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Invite a person
   *
   * @remarks Sends a link to the address by which the person chooses a password and becomes a user with these roles. The link
   * works once, for 60 minutes. Roles that allow more than the scopes of the caller are rejected. The address must not belong
   * to a user. If an invitation to it is open, send its link again instead. In production a mail server is required.
   */
  @Post()
  @RequireScope('identity:write')
  @Mutates('identity.invitation.create')
  @Refuses({ 409: ['email_taken', 'invitation_pending', 'mail_not_configured'] })
  async create(@Body() body: CreateInvitation): Promise<InvitationEnvelope> {
    const invitation = await this.invitations.create(body);
    return created(`${PATH}/${invitation.id}`, invitation, { data: toInvitation(invitation, this.clock.now()) });
  }

  /**
   * List invitations
   *
   * @remarks Returns a page of invitations, newest first, including accepted, revoked and expired ones.
   */
  @Get()
  @RequireScope('identity:read')
  async list(@Query() query: ListInvitations): Promise<InvitationPage> {
    const { rows, total } = await this.invitations.list(query);
    const now = this.clock.now();
    return { data: rows.map((row) => toInvitation(row, now)), total, ...pageBounds(query) };
  }

  /**
   * Get an invitation
   *
   * @remarks Returns one invitation with its status, without its link.
   */
  @Get(':id')
  @ComputedNow()
  @RequireScope('identity:read')
  async get(@PathId('invt', 'id', 1) id: string): Promise<InvitationEnvelope> {
    const invitation = await this.invitations.get(id);
    return tagged(invitation, { data: toInvitation(invitation, this.clock.now()) });
  }

  /**
   * Send the link of an invitation again
   *
   * @remarks Sends a new link, valid for 60 minutes; earlier links become invalid. The caller must hold the roles, as for a new
   * invitation. An invitation that was accepted or revoked is rejected.
   */
  @Post(':id/resend')
  @HttpCode(200)
  @RequireScope('identity:write')
  @Mutates('identity.invitation.resend', { irreversible: 'The mail was sent' })
  @Refuses({ 409: ['invitation_closed', 'mail_not_configured'] })
  async resend(
    @PathId('invt', 'id', 1) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<InvitationEnvelope> {
    const invitation = await this.invitations.resend(id, expected);
    return tagged(invitation, { data: toInvitation(invitation, this.clock.now()) });
  }

  /**
   * Revoke an invitation
   *
   * @remarks Ends the link at once and permanently. An invitation that was accepted or revoked is rejected.
   */
  @Post(':id/revocation')
  @HttpCode(200)
  @RequireScope('identity:write')
  @Mutates('identity.invitation.revoke', { irreversible: 'The link has ended: invite again' })
  @Refuses({ 409: ['invitation_closed'] })
  async revoke(
    @PathId('invt', 'id', 2) id: string,
    @IfMatch() expected: ExpectedVersions,
    @NoBody() _body: null,
  ): Promise<InvitationEnvelope> {
    const invitation = await this.invitations.revoke(id, expected);
    return tagged(invitation, { data: toInvitation(invitation, this.clock.now()) });
  }

  /**
   * Accept an invitation
   *
   * @remarks Creates the user with the password and the roles of the invitation, and returns it; then log in with the
   * `deviceToken`, which makes the device of the link known. All invalid links get the same error: unknown, used, replaced,
   * revoked and expired ones, and links of an inviter who may no longer assign the roles.
   */
  @Post('acceptance')
  @Public()
  @RateLimit('account-links')
  @MutatesForNobody('identity.invitation.accept', { irreversible: 'The person has an account: disable it' })
  @Refuses({
    409: ['email_taken'],
    422: ['link_invalid', 'password_too_common', 'password_too_personal'],
  })
  async accept(@Body() body: AcceptInvitation): Promise<AcceptedInvitationEnvelope> {
    const { user, deviceToken } = await this.invitations.accept(body);
    return created(`/v1/admin/identity/users/${user.id}`, user, { data: { ...toUser(user), deviceToken } });
  }
}
