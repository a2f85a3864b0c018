import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { SYSTEM } from '../../../platform/context/actor.js';
import { Database } from '../../../platform/database/database.js';
import { Listeners } from '../../../platform/discovery/listeners.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { ActionLedger } from '../../action-ledger/index.js';
import { AccountMailListener } from '../account-mails/account-mail-listener.js';
import { UserCredentialsService } from '../credentials/user-credentials.service.js';
import { SecurityEventsService } from '../security-events/security-events.service.js';
import { User } from '../users/user.entity.js';
import type { SecondFactorProof } from './second-factor.dto.js';

const MAIL_AT = 5;
const STOP_AT = 10;
const STOP_SECONDS = 60 * 60;

/**
 * Takes an attempt before the code is compared, in one statement, so that parallel guesses cannot exceed the number. The tenth
 * attempt stops further codes at once; a correct code lifts the stop.
 */
const TAKE = `
  update second_factors set
    wrong_codes = (wrong_codes + 1) % ${STOP_AT},
    codes_stopped_until = case when wrong_codes + 1 = ${STOP_AT} then $3 else codes_stopped_until end
  where user_id = $1 and activated_at is not null
    and ($4::boolean or codes_stopped_until is null or codes_stopped_until <= $2::timestamptz)
  returning wrong_codes as "wrongCodes"`;

const RIGHT = `
  update second_factors set wrong_codes = 0,
    codes_stopped_until = case when $2::boolean then null else codes_stopped_until end
  where user_id = $1`;

const UNUSED = `
  update second_factors set
    wrong_codes = case when $2::boolean then ${STOP_AT - 1} else greatest(wrong_codes - 1, 0) end,
    codes_stopped_until = case when $2::boolean then null else codes_stopped_until end
  where user_id = $1`;

/** An attempt to prove a second factor: its position in the series of wrong codes, or null for a recovery code. */
export interface CodeAttempt {
  readonly userId: string;
  readonly inRow: number | null;
}

/**
 * Counts consecutive wrong one-time codes across all sessions and logins of a user, because their sender knows the password.
 * The fifth is reported to the user; the tenth stops codes for an hour and requires a new password.
 */
@Injectable()
export class CodeAttempts {
  constructor(
    private readonly database: Database,
    private readonly credentials: UserCredentialsService,
    private readonly listeners: Listeners,
    private readonly ledger: ActionLedger,
    private readonly events: SecurityEventsService,
    private readonly clock: Clock,
  ) {}

  /** Counts the code before it is compared. Recovery codes are not counted: they cannot be guessed. */
  async take(userId: string, { code }: SecondFactorProof, isKnownDevice: boolean): Promise<CodeAttempt> {
    if (code === undefined) return { userId, inRow: null };
    const [now, until] = [this.clock.now(), this.clock.inSeconds(STOP_SECONDS)];
    // Runs outside the transaction of the request, which a wrong code rolls back.
    const [taken] = await this.database.apart(() =>
      this.database.query<{ wrongCodes: number }>(TAKE, [userId, now, until, isKnownDevice]),
    );
    if (taken) return { userId, inRow: taken.wrongCodes === 0 ? STOP_AT : taken.wrongCodes };
    await this.rejectStopped(userId, now);
    return { userId, inRow: null };
  }

  /** The proof was correct: resets the count in the running transaction. */
  async succeed({ userId, inRow }: CodeAttempt): Promise<void> {
    if (inRow !== null) await this.database.execute(RIGHT, [userId, inRow === STOP_AT]);
  }

  /** The code was not compared. */
  async giveBack({ userId, inRow }: CodeAttempt): Promise<void> {
    if (inRow === null) return;
    await this.database.apart(() => this.database.execute(UNUSED, [userId, inRow === STOP_AT]));
  }

  /** The code was wrong. Called outside the transaction that compared it. */
  async fail({ userId, inRow }: CodeAttempt): Promise<void> {
    if (inRow === MAIL_AT) await this.change(userId, (user) => this.warn(user));
    if (inRow === STOP_AT) await this.change(userId, (user) => this.requireNewPassword(user));
  }

  private async rejectStopped(userId: string, now: Date): Promise<void> {
    const [factor] = await this.database.query<{ until: Date | null }>(
      'select codes_stopped_until as until from second_factors where user_id = $1',
      [userId],
    );
    if (!factor?.until || factor.until <= now) return;
    throw new AppError(429, 'rate_limited', 'Too many wrong codes; use a recovery code, or wait', {
      retryAfterMs: factor.until.getTime() - now.getTime(),
    });
  }

  private async change(userId: string, work: (user: User) => Promise<void>): Promise<void> {
    await this.database.apart(() =>
      this.database.transaction(async () => work(await this.database.rows(User).lock(userId))),
    );
  }

  private async warn(user: User): Promise<void> {
    await this.listeners.call(AccountMailListener, (listener) => listener.secondFactorGuessed?.(user.mailAddress()));
  }

  private async requireNewPassword(user: User): Promise<void> {
    const before = user.auditImage();
    user.requireNewPassword(this.clock.now());
    await this.database.rows(User).update(user);
    this.credentials.recheck();
    await this.events.record('second_factor_stopped', { userId: user.id });
    await this.events.record('password_change_required', { userId: user.id });
    this.ledger.recordAs(SYSTEM, 'identity.user.require_password_change', {
      subjectType: 'user',
      subjectId: user.id,
      before,
      after: { ...user.auditImage(), passwordChangeRequired: true },
    });
  }
}
