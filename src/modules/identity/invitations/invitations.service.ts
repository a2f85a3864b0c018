import { Injectable } from '@nestjs/common';
import { excessScopes } from '../../../platform/auth/scopes.js';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make, type Rows } from '../../../platform/database/rows.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import { pageBounds } from '../../../platform/http/dto.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { newId } from '../../../platform/ids/id.js';
import { RateLimits } from '../../../platform/admission/rate-limits.js';
import { sortRows } from '../../../platform/database/sort-rows.js';
import { ActionLedger, type RecordedAction, type ReversalResult, Reverses } from '../../action-ledger/index.js';
import { AccountLinksService, linkInvalid } from '../account-links/account-links.service.js';
import { AccountMailListener } from '../account-mails/account-mail-listener.js';
import { DevicesService } from '../devices/devices.service.js';
import { SecurityEventsService } from '../security-events/security-events.service.js';
import { assertCallerHasScopes } from '../users/assert-caller-has-scopes.js';
import { assertHardToGuess } from '../users/password-policy.js';
import { hashPassword } from '../users/password.js';
import { type Role, scopesOf } from '../users/role.js';
import { inOrder, User } from '../users/user.entity.js';
import { UsersService } from '../users/users.service.js';
import type { AcceptInvitation, CreateInvitation, ListInvitations } from './invitation.dto.js';
import { Invitation } from './invitation.entity.js';

mapConstraint('invitations_pending_email', () =>
  conflict('invitation_pending', 'An invitation to this address is open; send its link again or revoke it'),
);

/** Manages invitations to become a member of staff. Only the invited person knows the password. */
@Injectable()
export class InvitationsService {
  private readonly rows: Rows<Invitation>;

  constructor(
    private readonly database: Database,
    private readonly users: UsersService,
    private readonly links: AccountLinksService,
    private readonly devices: DevicesService,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly events: SecurityEventsService,
    private readonly rateLimits: RateLimits,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {
    this.rows = database.rows(Invitation);
  }

  /** The caller can assign only roles within its own scopes. */
  async create({ email, name, roles }: CreateInvitation, id = newId('invt')): Promise<Invitation> {
    assertCallerHasScopes(scopesOf(roles));
    this.assertMailServer();
    return this.database.transaction(async () => {
      await this.users.assertEmailFree(email);
      const now = this.clock.now();
      const invitation = make(Invitation, {
        id,
        email,
        name,
        roles: inOrder(roles),
        status: 'pending',
        invitedBy: inviterId(),
        expiresAt: this.links.expiryOf(now),
        createdAt: now,
      });
      await this.rows.insert(invitation);
      await this.sendLink(invitation);
      this.record('create', invitation, { after: invitation.auditImage() });
      return invitation;
    });
  }

  async list(query: ListInvitations): Promise<{ rows: Invitation[]; total: number }> {
    const found = this.rows.query('invitation');
    const { status } = query;
    if (status !== undefined) {
      const isExpired = `invitation.status = 'pending' and invitation.expiresAt <= :now`;
      const statusOfNow = `case when ${isExpired} then 'expired' else invitation.status end`;
      found.andWhere(`(${statusOfNow}) = any(:status)`, { status, now: this.clock.now() });
    }
    sortRows(found, query.sort ?? '-createdAt');
    return this.rows.page(found, pageBounds(query));
  }

  async get(id: string): Promise<Invitation> {
    return this.rows.get(id);
  }

  /** The caller can send only invitations whose roles are within its own scopes. */
  async resend(id: string, expected: ExpectedVersions): Promise<Invitation> {
    this.assertMailServer();
    return this.database.transaction(async () => {
      const invitation = await this.rows.lock(id);
      assertVersion(expected, invitation);
      assertCallerHasScopes(scopesOf(invitation.roles));
      invitation.assertOpen();
      const before = invitation.auditImage();
      const now = this.clock.now();
      invitation.renew(inviterId(), this.links.expiryOf(now), now);
      await this.rows.update(invitation);
      await this.sendLink(invitation);
      this.record('resend', invitation, { before, after: invitation.auditImage() });
      return invitation;
    });
  }

  async revoke(id: string, expected: ExpectedVersions): Promise<Invitation> {
    return this.database.transaction(async () => {
      const invitation = await this.rows.lock(id);
      assertVersion(expected, invitation);
      const images = await this.close(invitation);
      this.record('revoke', invitation, images);
      return invitation;
    });
  }

  /** Revokes the invitation. */
  @Reverses('identity.invitation.create', { effect: 'identity.invitation.revoke' })
  async reverseCreation({ subjectId }: RecordedAction): Promise<ReversalResult> {
    return this.close(await this.rows.lock(subjectId));
  }

  /** Creates the user, and makes the device of the link known. */
  async accept({ token, password }: AcceptInvitation): Promise<{ user: User; deviceToken: string }> {
    const id = await this.links.check('invitation', token);
    assertHardToGuess(password, await this.rows.get(id));
    // Runs only for a valid link, because hashing is the most expensive work of this route.
    const passwordHash = await hashPassword(password);
    return this.database.transaction(async () => {
      const invitation = await this.rows.lock(id);
      await this.links.use('invitation', token);
      await this.assertInviterHasScopes(invitation);
      const { email, name, roles } = invitation;
      const before = invitation.auditImage();
      const user = await this.users.add({ email, name, roles, passwordHash, passwordChangeRequired: false });
      invitation.accept(user.id, this.clock.now());
      await this.rows.update(invitation);
      await this.events.record('invitation_accepted', { userId: user.id });
      const { token: deviceToken } = await this.devices.remember(user.id, undefined);
      const subject = { subjectType: 'invitation', subjectId: id };
      const images = { before, after: invitation.auditImage() };
      this.ledger.recordAs({ type: 'user', id: user.id }, 'identity.invitation.accept', { ...subject, ...images });
      return { user, deviceToken };
    });
  }

  private async sendLink(invitation: Invitation): Promise<void> {
    this.rateLimits.takeMail({ subject: invitation.id, recipient: invitation.email });
    const link = await this.links.issue('invitation', invitation.id);
    const mail = { recipient: invitation.email, name: invitation.name, language: null };
    await this.listeners.call(AccountMailListener, (listener) => listener.invited?.(mail, link.id));
  }

  private async close(invitation: Invitation): Promise<{ before: object; after: object }> {
    invitation.assertOpen();
    const before = invitation.auditImage();
    invitation.revoke(this.clock.now());
    await this.rows.update(invitation);
    await this.links.end('invitation', invitation.id);
    return { before, after: invitation.auditImage() };
  }

  /** A user who was disabled or demoted after the invitation must not gain access by it. */
  private async assertInviterHasScopes({ invitedBy, roles }: Invitation): Promise<void> {
    if (invitedBy === null) return;
    // Prevents until the commit that the inviter is disabled or demoted.
    const [inviter] = await this.database.query<{ roles: Role[] }>(
      'select roles from users where id = $1 and active for share',
      [invitedBy],
    );
    const scopes = inviter ? scopesOf(inviter.roles) : [];
    if (excessScopes(scopes, [...scopesOf(roles), 'identity:write']).length > 0) throw linkInvalid();
  }

  /** In development the log shows the link. */
  private assertMailServer(): void {
    if (!this.env.production || this.env.smtpUrl !== null) return;
    throw conflict('mail_not_configured', 'No mail server is configured (SMTP_URL), so the link could not be sent');
  }

  private record(
    verb: 'create' | 'resend' | 'revoke',
    { id }: Invitation,
    images: { before?: object; after: object },
  ): void {
    this.ledger.record(`identity.invitation.${verb}`, { subjectType: 'invitation', subjectId: id, ...images });
  }
}

/** The user who calls; null if the service itself invites. */
function inviterId(): string | null {
  const { type, principal } = currentActor();
  return type === 'system' ? null : principal;
}
