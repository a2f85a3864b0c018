import { Injectable } from '@nestjs/common';
import { channelReadScope, covers } from '../../../platform/auth/scopes.js';
import { isForOperators, Outbox } from '../../../platform/outbox/outbox.js';
import { StaffAccountsService } from '../../identity/index.js';
import { matchesAny } from './event-types.js';
import type { Owner } from './webhook-endpoint.entity.js';

/** The present scopes of owners; an owner who may read nothing is missing. */
export type Rights = ReadonlyMap<string, readonly string[]>;

/** The members of an event that decide who may read it. */
export interface ReadableEvent {
  readonly event: string;
  readonly channel: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What the owners of endpoints may read: the rule of subscriptions (ADR 66), for their present scopes. */
@Injectable()
export class OwnerRightsService {
  constructor(
    private readonly staff: StaffAccountsService,
    private readonly outbox: Outbox,
  ) {}

  async rightsOf(owners: readonly Owner[]): Promise<Rights> {
    const users = [...new Set(owners.map(({ ownerId }) => ownerId))];
    return users.length === 0 ? new Map() : this.staff.scopesOf(users);
  }

  /**
   * Whether the endpoint of this owner receives the event from this channel. An event on several channels is sent once: from the
   * first of its declared channels that the owner may read.
   */
  receives({ ownerId }: Owner, rights: Rights, { event, channel, data }: ReadableEvent): boolean {
    const scopes = rights.get(ownerId) ?? [];
    const readable = this.channelsOf(event).filter((name) => mayRead(name, scopes));
    return readable.flatMap((name) => nameOf(name, data) ?? []).at(0) === channel;
  }

  /**
   * Whether this owner may read the channel. An event that the endpoint receives stays readable if the owner gains the right to read
   * an earlier channel of it.
   */
  mayRead({ ownerId }: Owner, rights: Rights, channel: string): boolean {
    return mayRead(channel, rights.get(ownerId) ?? []);
  }

  /** The events for staff that these patterns match and that a caller with the scopes may not read. */
  unreadableAmong(eventTypes: readonly string[], scopes: readonly string[]): string[] {
    return this.events()
      .filter((event) => matchesAny(eventTypes, event))
      .filter((event) => !this.channelsOf(event).some((name) => mayRead(name, scopes)));
  }

  /** The patterns that match no event for staff. */
  unknownAmong(eventTypes: readonly string[]): string[] {
    const events = this.events();
    return eventTypes.filter((pattern) => !events.some((event) => matchesAny([pattern], event)));
  }

  /** The declared events, without those that only operators read. */
  private events(): string[] {
    return this.outbox.eventNames().filter((event) => !this.channelsOf(event).every(isForOperators));
  }

  private channelsOf(event: string): string[] {
    return this.outbox.groupsOf(event).flatMap(({ channels }) => channels);
  }
}

function mayRead(channel: string, scopes: readonly string[]): boolean {
  const scope = channelReadScope(channel);
  return scope !== null && covers(scopes, scope);
}

/** The channel with the members in its name; null if one of them is null. */
function nameOf(channel: string, data: Readonly<Record<string, unknown>>): string | null {
  const members = [...channel.matchAll(/\{(\w+)\}/g)].map(([, member = '']) => data[member]);
  if (members.some((value) => typeof value !== 'string')) return null;
  return channel.replace(/\{(\w+)\}/g, (_, member: string) => String(data[member]));
}
