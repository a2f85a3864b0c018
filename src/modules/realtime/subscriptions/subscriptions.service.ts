import { Injectable } from '@nestjs/common';
import { channelReadScope, covers, EVENTS_SCOPE } from '../../../platform/auth/scopes.js';
import { TokenVerifier, VerifiesCredential } from '../../../platform/auth/token-verifier.js';
import { Clock } from '../../../platform/clock/clock.js';
import type { Actor } from '../../../platform/context/actor.js';
import { currentActor } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { make } from '../../../platform/database/rows.js';
import { AppError, notFound } from '../../../platform/errors/app-error.js';
import {
  type Credential,
  type CredentialKind,
  hashSecret,
  newCredential,
  parseCredential,
  secretMatches,
} from '../../../platform/ids/credentials.js';
import { Cron } from '../../../platform/jobs/job-decorators.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import type { Permit } from '../live/live-streams.service.js';
import { MessagesService } from '../messages/messages.service.js';
import { RealtimeSubscription } from './subscription.entity.js';
import { RealtimeTicket } from './ticket.entity.js';

const LIFETIME_SECONDS = 600;
const TICKET_SECONDS = 60;

const LIVE = `
  select public_id as "publicId", secret_hash as "secretHash", channels, holder_kind as "holderKind", holder_id as "holderId",
    expires_at as "expiresAt"
  from realtime_subscriptions where public_id = $1`;

const TICKET = `
  select secret_hash as "secretHash", subscription_id as "subscriptionId", expires_at as "expiresAt"
  from realtime_tickets where public_id = $1`;

/** Deletes the ticket, so that it opens one stream. */
const REDEEM = `
  delete from realtime_tickets
  where public_id = $1 and secret_hash = $2 and expires_at > $3
  returning public_id`;

type TicketRow = Pick<RealtimeTicket, 'secretHash' | 'subscriptionId' | 'expiresAt'>;

/** The channels of a subscription and the credential that holds it. */
export type Held = Pick<RealtimeSubscription, 'publicId' | 'channels' | 'holderKind' | 'holderId'>;

/**
 * Subscriptions: tokens of ten minutes for up to 20 channels, which a browser can have because they read nothing else. They end
 * with the credential that created them, and lose the channels that it may no longer read.
 */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly database: Database,
    private readonly verifier: TokenVerifier,
    private readonly messages: MessagesService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Leaves out channels that the caller may not read. Throws 403 if none is left. */
  async create(channels: readonly string[]): Promise<{ token: string; expiresAt: Date; channels: string[] }> {
    const actor = currentActor();
    const readable = channels.filter((channel) => this.mayRead(channel, actor));
    if (readable.length === 0) throw new AppError(403, 'forbidden', 'The caller may read none of these channels');
    const { token, publicId, secretHash } = newCredential('rts');
    const expiresAt = this.clock.inSeconds(LIFETIME_SECONDS);
    const holder = { holderKind: holderKindOf(actor), holderId: actor.credentialId };
    const row = make(RealtimeSubscription, { publicId, secretHash, channels: readable, ...holder, expiresAt });
    await this.database.insert(row);
    return { token, expiresAt, channels: readable };
  }

  /** Throws 403 unless the caller has the token of a subscription. */
  async createTicket(): Promise<{ ticket: string; expiresAt: Date }> {
    const { publicId: subscriptionId } = await this.ofCaller();
    const { token, publicId, secretHash } = newCredential('rtt');
    const expiresAt = this.clock.inSeconds(TICKET_SECONDS);
    await this.database.insert(make(RealtimeTicket, { publicId, secretHash, subscriptionId, expiresAt }));
    return { ticket: token, expiresAt };
  }

  /** Uses up a ticket that was verified. Throws 404 if another request has used it. */
  async redeem(ticket: string): Promise<Held> {
    const { publicId = '', secret = '' } = parseCredential(ticket) ?? {};
    const [used] = await this.database.query(REDEEM, [publicId, hashSecret(secret), this.clock.now()]);
    if (!used) throw notFound();
    return this.ofCaller();
  }

  /** The subscription of the token that the caller has. Throws 403 for another credential. */
  async ofCaller(): Promise<Held> {
    const { subscriptionId } = currentActor();
    const held = subscriptionId === undefined ? null : await this.find(subscriptionId);
    if (held) return held;
    throw new AppError(403, 'forbidden', 'Requires the token of a subscription to channels');
  }

  @VerifiesCredential('rts')
  async actorOf({ publicId, secret }: Credential): Promise<Actor | null> {
    const row = await this.find(publicId);
    if (!secretMatches(secret, row?.secretHash ?? null) || !row || row.expiresAt <= this.clock.now()) return null;
    const reader = await this.readerOf(row);
    return reader && { ...reader, expiresAt: row.expiresAt };
  }

  /** What keeps a stream of the subscription open. */
  permitOf(held: Held): Permit {
    return { key: held.publicId, read: () => this.readerOf(held) };
  }

  /** Verifies a ticket without using it up. */
  @VerifiesCredential('rtt')
  async actorOfTicket({ publicId, secret }: Credential): Promise<Actor | null> {
    const [row = null] = await this.database.prepared<TicketRow>('realtime-ticket', TICKET, [publicId]);
    if (!secretMatches(secret, row?.secretHash ?? null) || !row || row.expiresAt <= this.clock.now()) return null;
    const held = await this.find(row.subscriptionId);
    return held && held.expiresAt > this.clock.now() ? this.readerOf(held) : null;
  }

  /** The reader of the channels, whether or not its token has expired; null if the credential behind it has ended. */
  async readerOf({ publicId, channels, holderKind, holderId }: Held): Promise<Actor | null> {
    const holder = await this.verifier.recall(holderKind, holderId);
    if (!holder) return null;
    const scopes = channels
      .filter((channel) => this.mayRead(channel, holder))
      .map((channel) => `realtime:subscribe:${channel}`);
    return { ...holder, subscriptionId: publicId, scopes };
  }

  /** Deletes tokens that have expired; open streams do not need them. */
  @Cron('realtime.subscriptions.purge', '*/10 * * * *')
  async purge(): Promise<void> {
    await this.database.purge('realtime_subscriptions', 'expires_at < $1', [this.clock.now()]);
  }

  /**
   * Staff read the events of the modules that they may read; clients and keys of an operator read the channels of the operator; a
   * platform key reads what its own scopes for channels cover.
   */
  private mayRead(channel: string, actor: Actor): boolean {
    if (this.messages.isForeign(channel, actor)) return false;
    if (covers(actor.scopes, `realtime:subscribe:${channel}`)) return true;
    if (actor.operatorId !== null) return covers(actor.scopes, EVENTS_SCOPE);
    const scope = channelReadScope(channel);
    const isOfPlatform = this.outbox.isRelayed(channel) && !this.outbox.isOfOperator(channel);
    return scope !== null && isOfPlatform && covers(actor.scopes, scope);
  }

  private async find(publicId: string): Promise<RealtimeSubscription | null> {
    const [row = null] = await this.database.prepared<RealtimeSubscription>('realtime-subscription', LIVE, [publicId]);
    return row;
  }
}

/** Staff have sessions and tokens of their own surface; on the connect surface there are tokens of clients, and keys. */
function holderKindOf({ type, principal, id }: Actor): CredentialKind {
  if (type === 'user') return 'vss';
  if (type === 'oauth_client') return 'oat';
  // A staff token acts for its user, a platform key for itself.
  return principal === id ? 'tpk' : 'vsk';
}
