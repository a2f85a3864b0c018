import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { Env } from '../config/env.js';
import { Database } from '../database/database.js';
import { requireOneRow } from '../database/row-statements.js';
import { sessionEnded, Watchdog } from '../database/watchdog.js';
import { AppError, unavailable, unprocessable } from '../errors/app-error.js';
import { mapConstraint } from '../errors/database-errors.js';
import { newId } from '../ids/id.js';
import { Cron } from '../jobs/job-decorators.js';
import { SealingKeys } from '../keys/sealing-keys.js';

/** The key of a caller. */
interface CallerKey {
  readonly principal: string;
  readonly key: string;
}

/** A request that uses a key. */
export interface ClaimedRequest extends CallerKey {
  readonly fingerprint: Buffer;
  /** Its fingerprints under the replaced sealing keys, for as long as stored fingerprints are kept. */
  readonly earlierFingerprints: readonly Buffer[];
}

/** A key claimed by this request alone. If its lease ends and another request claims the key, `token` changes. */
interface Claim extends ClaimedRequest {
  readonly token: string;
}

export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  /** Scopes that the request needed in addition to its route's; absent if there are none. */
  scopes?: readonly string[];
  body: unknown;
}

interface Row {
  fingerprint: Buffer;
  sealed: Buffer | null;
  claimed: boolean;
}

/** Longer than the deadline of requests. A key is reused earlier if its session has ended. */
const LEASE_MARGIN_SECONDS = 5;
const FORGET_AFTER_SECONDS = [0.1, 0.3, 1, 3];
const KEPT_SECONDS = 24 * 60 * 60;
const PURPOSE = 'idempotency';
const RETRY_AFTER_MS = 1_000;

// If another request claimed the key after the lease ended, its work counts and this one is rolled back.
const CLAIM_LOST = 'idempotency_keys_claim';
const COMPLETE = requireOneRow(
  'update idempotency_keys set sealed_answer = $4 where principal = $1 and key = $2 and token = $3',
  CLAIM_LOST,
);
mapConstraint(CLAIM_LOST, inProgress);

/** The state of keys. A row is committed before the work and completed in the transaction of the work. */
@Injectable()
export class IdempotencyKeys {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly watchdog: Watchdog,
    private readonly env: Env,
    private readonly sealingKeys: SealingKeys,
  ) {}

  @Cron('platform.idempotency.purge', '17 * * * *')
  async purge(): Promise<void> {
    await this.database.purge('idempotency_keys', 'expires_at < $1', [this.clock.now()]);
  }

  /**
   * The fingerprint is stored for a day and depends on the sealing key, so a copy of the database does not help to guess a
   * password or a code in the request.
   */
  requestOf(callerKey: CallerKey, identity: Buffer): ClaimedRequest {
    // The fingerprint includes the caller, so that another caller cannot test guesses with its own requests.
    const text = Buffer.concat([Buffer.from(`${callerKey.principal}\n`), identity]);
    const [fingerprint, ...earlierFingerprints] = this.sealingKeys.codesOf(PURPOSE, text, KEPT_SECONDS);
    return { ...callerKey, fingerprint, earlierFingerprints };
  }

  /** Claims the key, or returns the stored response. Throws 422 for another request's key, 409 while it is running. */
  async claim(wanted: ClaimedRequest): Promise<{ claim: Claim } | { stored: StoredAnswer }> {
    const claim = { ...wanted, token: newId('claim') };
    const row = await this.take(claim).catch(async (error: unknown) => {
      // Perhaps only the result was lost: then this request has the key, and no other one uses it.
      await this.free(claim);
      throw error;
    });
    if (row?.claimed) return { claim };
    const fingerprints = [wanted.fingerprint, ...wanted.earlierFingerprints];
    if (row && !fingerprints.some((fingerprint) => fingerprint.equals(row.fingerprint))) {
      throw unprocessable('idempotency_key_reused', 'The Idempotency-Key was used for a different request', {
        field: 'Idempotency-Key',
      });
    }
    if (row?.sealed) return { stored: await this.unseal(wanted, row.sealed) };
    throw inProgress();
  }

  private async take({ principal, key, fingerprint, earlierFingerprints, token }: Claim): Promise<Row | undefined> {
    const [row] = await this.database.prepared<Row>(
      'idempotency-take',
      `with taken as (
         insert into idempotency_keys as k (principal, key, fingerprint, token, lease_until, expires_at, session)
         values ($1, $2, $3, $4, $5, $6, $8)
         on conflict (principal, key) do update
           set fingerprint = excluded.fingerprint, token = excluded.token, sealed_answer = null,
               lease_until = excluded.lease_until, expires_at = excluded.expires_at, session = excluded.session
           where k.expires_at < $7 or (k.sealed_answer is null and k.fingerprint = any($9::bytea[])
             and (k.lease_until < $7 or ${sessionEnded('k.session')}))
         returning fingerprint, sealed_answer)
       select fingerprint, sealed_answer as sealed, true as claimed from taken
       union all
       select fingerprint, sealed_answer, false from idempotency_keys where principal = $1 and key = $2
       order by claimed desc limit 1`,
      [
        principal,
        key,
        fingerprint,
        token,
        this.clock.inSeconds(this.env.requestDeadlineMs / 1000 + LEASE_MARGIN_SECONDS),
        this.clock.inSeconds(KEPT_SECONDS),
        this.clock.now(),
        this.watchdog.session,
        [fingerprint, ...earlierFingerprints],
      ],
    );
    return row;
  }

  /** Stores the response in the running transaction, so that neither exists without the other. */
  async complete(claim: Claim, answer: StoredAnswer): Promise<void> {
    const plaintext = Buffer.from(JSON.stringify(answer));
    const sealed = await this.sealingKeys.seal(PURPOSE, plaintext, placeOf(claim)).finally(() => plaintext.fill(0));
    await this.database.write({
      name: 'idempotency-complete',
      text: COMPLETE,
      values: [claim.principal, claim.key, claim.token, sealed],
    });
  }

  /** A stored response may contain personal data, so a copy of the database does not reveal it. */
  private async unseal(claim: CallerKey, sealed: Buffer): Promise<StoredAnswer> {
    const answer = await this.sealingKeys.open(PURPOSE, sealed, placeOf(claim));
    if (answer === null) throw unavailable('The stored response cannot be decrypted');
    const stored = JSON.parse(answer.toString()) as StoredAnswer;
    answer.fill(0);
    return stored;
  }

  /**
   * A failed request wrote nothing, so the key may be used again at once. Never rejects: the first error is reported.
   */
  async free(claim: Claim): Promise<void> {
    // The cause of the error may also affect this statement. The retries run in the background; if all fail, the lease
    // ends.
    if (!(await this.forget(claim))) void this.forgetLater(claim);
  }

  private async forgetLater(claim: Claim): Promise<void> {
    for (const seconds of FORGET_AFTER_SECONDS) {
      await pause(seconds * 1000, undefined, { ref: false });
      if (await this.forget(claim)) return;
    }
  }

  private async forget({ principal, key, token }: Claim): Promise<boolean> {
    const text =
      'delete from idempotency_keys where principal = $1 and key = $2 and token = $3 and sealed_answer is null';
    return this.database.execute(text, [principal, key, token]).then(
      () => true,
      () => false,
    );
  }
}

/** Binds the sealed response to this key of this caller. */
function placeOf({ principal, key }: CallerKey): string {
  return `${principal}\n${key}`;
}

function inProgress(): AppError {
  return new AppError(409, 'idempotency_in_progress', 'The first request with this key is still running', {
    retryAfterMs: RETRY_AFTER_MS,
  });
}
