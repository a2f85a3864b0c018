import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { type AppError, unprocessable } from '../../../platform/errors/app-error.js';
import { isId, newId } from '../../../platform/ids/id.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { SigningKeys } from '../../../platform/keys/signing-keys.js';
import { AccountLink, type LinkPurpose } from './account-link.entity.js';

const LIFETIME_SECONDS = 60 * 60;
const RETENTION_SECONDS = 90 * 24 * 60 * 60;
const KEY = 'account-links';
const ID = 'alnk';

/** The column with the invitation or user of a link. */
const SUBJECT = { invitation: 'invitation_id', password_reset: 'user_id' } satisfies Record<LinkPurpose, string>;

/** The member of the fragment with which a link ends: browsers never send it to a server, so it is in no access log. */
const FRAGMENT = { invitation: 'invitation', password_reset: 'password-reset' } satisfies Record<LinkPurpose, string>;

/**
 * One-time links for invitations and password resets, valid for 60 minutes. A subject has one open link at most, so only
 * the newest one works. The token is a MAC of the id under a signing key and is made when the mail is sent: no row, job or
 * message contains it.
 */
@Injectable()
export class AccountLinksService {
  constructor(
    private readonly database: Database,
    private readonly signingKeys: SigningKeys,
    private readonly clock: Clock,
    private readonly env: Env,
  ) {}

  /** Returns the end of a link issued now. */
  expiryOf(now: Date): Date {
    return new Date(now.getTime() + LIFETIME_SECONDS * 1000);
  }

  /** Issues a link in the running transaction, which has locked the subject; earlier links of the subject end. */
  async issue(purpose: LinkPurpose, subjectId: string): Promise<AccountLink> {
    await this.end(purpose, subjectId);
    const now = this.clock.now();
    const link = make(AccountLink, {
      id: newId(ID),
      purpose,
      invitationId: purpose === 'invitation' ? subjectId : null,
      userId: purpose === 'password_reset' ? subjectId : null,
      createdAt: now,
      expiresAt: this.expiryOf(now),
    });
    await this.database.insert(link);
    return link;
  }

  /** Ends the open link of the subject, if there is one. */
  async end(purpose: LinkPurpose, subjectId: string): Promise<void> {
    await this.database.execute(
      `update account_links set ended_at = $2 where ${SUBJECT[purpose]} = $1 and ended_at is null`,
      [subjectId, this.clock.now()],
    );
  }

  /** Ends the links of a user who is being disabled: password resets, and the invitations that the user has sent. */
  async endAllOf(userId: string): Promise<void> {
    await this.database.execute(
      `update account_links set ended_at = $2
       where ended_at is null and (user_id = $1 or invitation_id in (
         select id from invitations where invited_by = $1 and status = 'pending'))`,
      [userId, this.clock.now()],
    );
  }

  /** Returns the subject of a usable link. The error is the same for every reason. */
  async check(purpose: LinkPurpose, token: string): Promise<string> {
    const id = await this.idOf(token);
    const [found] = await this.database.query<{ subject: string }>(
      `select ${SUBJECT[purpose]} as subject from account_links
       where id = $1 and purpose = $2 and ended_at is null and expires_at > $3`,
      [id, purpose, this.clock.now()],
    );
    if (!found) throw linkInvalid();
    return found.subject;
  }

  /** Uses up the link in the running transaction, which has locked its subject. */
  async use(purpose: LinkPurpose, token: string): Promise<void> {
    const { count } = await this.database.execute(
      `update account_links set ended_at = $3
       where id = $1 and purpose = $2 and ended_at is null and expires_at > $3`,
      [await this.idOf(token), purpose, this.clock.now()],
    );
    if (count === 0) throw linkInvalid();
  }

  /** Counts the links issued to the subject during the last seconds. */
  async countIssued(purpose: LinkPurpose, subjectId: string, seconds: number): Promise<number> {
    const [issued] = await this.database.query<{ count: number }>(
      `select count(*)::int as count from account_links
       where ${SUBJECT[purpose]} = $1 and purpose = $2 and created_at > $3`,
      [subjectId, purpose, this.clock.inSeconds(-seconds)],
    );
    return issued?.count ?? 0;
  }

  /** The address of the page that uses the link, with its token; null if the link can no longer be used. */
  async findUrl(id: string): Promise<string | null> {
    const [link] = await this.database.query<{ purpose: LinkPurpose }>(
      'select purpose from account_links where id = $1 and ended_at is null and expires_at > $2',
      [id, this.clock.now()],
    );
    return link ? `${this.env.accountLinkUrl}#${FRAGMENT[link.purpose]}=${await this.tokenOf(id)}` : null;
  }

  /** The secret of the link. Only a mail contains it. */
  async tokenOf(id: string): Promise<string> {
    return this.signingKeys.sign(KEY, id);
  }

  /** Deletes links that expired more than 90 days ago. */
  @Cron('identity.account-links.purge', '47 3 * * *')
  async purge(): Promise<void> {
    await this.database.purge('account_links', 'expires_at < $1', [this.clock.inSeconds(-RETENTION_SECONDS)]);
  }

  /** Rejects a token that this service did not make. */
  private async idOf(token: string): Promise<string> {
    const id = await this.signingKeys.verify(KEY, token);
    if (typeof id !== 'string' || !isId(ID, id)) throw linkInvalid();
    return id;
  }
}

/** The error is the same for every reason, so that a caller cannot find out whether a link ever existed. */
export function linkInvalid(): AppError {
  return unprocessable('link_invalid', 'The link is invalid, was used already or has expired; request a new one', {
    field: 'token',
  });
}
