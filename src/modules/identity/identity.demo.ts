import { Injectable } from '@nestjs/common';
import { newCredential } from '../../platform/ids/credentials.js';
import { Clock } from '../../platform/clock/clock.js';
import { Database } from '../../platform/database/database.js';
import { make } from '../../platform/database/rows.js';
import { demoId, randomBase62 } from '../../platform/ids/id.js';
import { DemoData } from '../../platform/provisioning/provisioning-decorators.js';
import { ActionLedger } from '../action-ledger/index.js';
import { AccountLinksService } from './account-links/account-links.service.js';
import { ApiTokensService } from './api-tokens/api-tokens.service.js';
import { Invitation } from './invitations/invitation.entity.js';
import { ABSOLUTE_SECONDS } from './sessions/session-lifetime.js';
import { StaffSession } from './sessions/staff-session.entity.js';
import type { Role } from './users/role.js';
import { UsersService } from './users/users.service.js';

const OWNER = demoId('user', 1);

/** Their passwords are random and not stored: to log in as one of them, request a password reset first. */
const STAFF: readonly { number: number; email: string; name: string; roles: Role[] }[] = [
  { number: 2, email: 'petra.keller@example.com', name: 'Petra Keller', roles: ['operations'] },
  { number: 3, email: 'jonas.lind@example.com', name: 'Jonas Lind', roles: ['sales', 'viewer'] },
  { number: 4, email: 'amira.haddad@example.com', name: 'Amira Haddad', roles: ['finance'] },
];

/** The examples send the link of the first one again, revoke the second one and accept the third one. */
const INVITATIONS: readonly { email: string; name: string; roles: Role[] }[] = [
  { email: 'luca.moretti@example.com', name: 'Luca Moretti', roles: ['sales'] },
  { email: 'ines.duarte@example.com', name: 'Ines Duarte', roles: ['operations', 'viewer'] },
  { email: 'tom.becker@example.com', name: 'Tom Becker', roles: ['viewer'] },
];

/**
 * The resources that the examples of the API document use: user 1 is the first owner; the examples read user 2, change
 * user 3, revoke token 2 of the owner, and end session 1.
 */
@Injectable()
export class IdentityDemo {
  constructor(
    private readonly database: Database,
    private readonly ledger: ActionLedger,
    private readonly users: UsersService,
    private readonly tokens: ApiTokensService,
    private readonly links: AccountLinksService,
    private readonly clock: Clock,
  ) {}

  @DemoData(100, 'staff')
  async load(): Promise<void> {
    for (const { number, ...user } of STAFF) {
      await this.users.create({ ...user, password: randomBase62(43) }, demoId('user', number));
    }
    const forgotten = { name: 'Forgotten script', scopes: ['distribution:read'], expiresAt: null };
    await this.tokens.issue({ ...forgotten, userId: OWNER }, demoId('atok', 2));
    await this.createSession();
    await this.createInvitations();
  }

  /** Sends no mails, because these addresses do not exist. */
  private async createInvitations(): Promise<void> {
    const now = this.clock.now();
    await this.database.transaction(async () => {
      for (const [index, fields] of INVITATIONS.entries()) {
        const invitation = make(Invitation, {
          ...fields,
          id: demoId('invt', index + 1),
          status: 'pending',
          invitedBy: OWNER,
          expiresAt: this.links.expiryOf(now),
          createdAt: now,
        });
        await this.database.insert(invitation);
        await this.links.issue('invitation', invitation.id);
        const subject = { subjectType: 'invitation', subjectId: invitation.id };
        this.ledger.record('identity.invitation.create', { ...subject, after: invitation.auditImage() });
      }
    });
  }

  /** An open session of the owner. */
  private async createSession(): Promise<void> {
    const { publicId, secretHash } = newCredential('vss');
    const now = this.clock.now();
    const session = make(StaffSession, {
      id: demoId('sess', 1),
      publicId,
      secretHash,
      userId: OWNER,
      createdAt: now,
      expiresAt: this.clock.inSeconds(ABSOLUTE_SECONDS),
      lastUsedAt: now,
      address: '192.0.2.17',
      userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
    });
    await this.database.transaction(async () => {
      await this.database.insert(session);
      const subject = { subjectType: 'staff_session', subjectId: session.id };
      this.ledger.record('identity.session.create', { ...subject, after: { userId: OWNER } });
    });
  }
}
