import { Injectable } from '@nestjs/common';
import { channelReadScope, covers, EVENTS_SCOPE } from '../../../platform/auth/scopes.js';
import { isForOperators, Outbox } from '../../../platform/outbox/outbox.js';
import { OperatorsService } from '../../connect/index.js';
import { StaffAccountsService } from '../../identity/index.js';
import { matchesAny } from './event-types.js';
import type { Owner, OwnerKind } from './webhook-endpoint.entity.js';

/** What owners may read now. A user and an operator can have the same ID, so each kind has its own collection. */
export interface Rights {
  /** The present scopes of active users. */
  readonly users: ReadonlyMap<string, readonly string[]>;
  /** The active operators. */
  readonly operators: ReadonlySet<string>;
}

/** The members of an event that decide who may read it. */
export interface ReadableEvent {
  readonly event: string;
  readonly channel: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The rights of a caller. */
interface Reader {
  readonly ownerKind: OwnerKind;
  readonly scopes: readonly string[];
}

/** What the owners of endpoints may read: the rule of subscriptions (ADR 66), for their present rights. */
@Injectable()
export class OwnerRightsService {
  constructor(
    private readonly staff: StaffAccountsService,
    private readonly operators: OperatorsService,
    private readonly outbox: Outbox,
  ) {}

  async rightsOf(owners: readonly Owner[]): Promise<Rights> {
    const [users, operators] = [idsOf(owners, 'staff'), idsOf(owners, 'operator')];
    return {
      users: users.length === 0 ? new Map() : await this.staff.scopesOf(users),
      operators: await this.operators.activeAmong(operators),
    };
  }

  /**
   * Whether the endpoint of this owner receives the event from this channel. An event on several channels is sent once: from the
   * first of its declared channels that the owner may read.
   */
  receives(owner: Owner, rights: Rights, { event, channel, data }: ReadableEvent): boolean {
    const { ownerKind, ownerId } = owner;
    if (ownerKind === 'operator' && data['operatorId'] !== ownerId) return false;
    const scopes = rights.users.get(ownerId) ?? [];
    const readable = this.channelsOf(event).filter((name) =>
      ownerKind === 'operator' ? isForOperators(name) : mayRead(name, scopes),
    );
    return (
      readable.flatMap((name) => nameOf(name, data) ?? []).at(0) === channel && this.mayRead(owner, rights, channel)
    );
  }

  /**
   * Whether this owner may read the channel. An event that the endpoint receives stays readable if the owner gains the right to read
   * an earlier channel of it.
   */
  mayRead({ ownerKind, ownerId }: Owner, rights: Rights, channel: string): boolean {
    switch (ownerKind) {
      case 'staff':
        return mayRead(channel, rights.users.get(ownerId) ?? []);
      case 'operator':
        return rights.operators.has(ownerId) && channel.startsWith(`${ownerId}.`) && this.outbox.isOfOperator(channel);
    }
  }

  /** The events for owners of this kind that these patterns match and that a caller with the scopes may not read. */
  unreadableAmong(eventTypes: readonly string[], reader: Reader): string[] {
    return this.events(reader.ownerKind)
      .filter((event) => matchesAny(eventTypes, event))
      .filter((event) => !this.isReadable(event, reader));
  }

  /** The patterns that match no event for owners of this kind. */
  unknownAmong(eventTypes: readonly string[], ownerKind: OwnerKind): string[] {
    const events = this.events(ownerKind);
    return eventTypes.filter((pattern) => !events.some((event) => matchesAny([pattern], event)));
  }

  /** The declared events that have a channel for owners of this kind. */
  private events(ownerKind: OwnerKind): string[] {
    return this.outbox
      .eventNames()
      .filter((event) => this.channelsOf(event).some((name) => isForOperators(name) === (ownerKind === 'operator')));
  }

  private isReadable(event: string, { ownerKind, scopes }: Reader): boolean {
    if (ownerKind === 'operator') return covers(scopes, EVENTS_SCOPE);
    return this.channelsOf(event).some((name) => mayRead(name, scopes));
  }

  private channelsOf(event: string): string[] {
    return this.outbox.groupsOf(event).flatMap(({ channels }) => channels);
  }
}

function idsOf(owners: readonly Owner[], kind: OwnerKind): string[] {
  return [...new Set(owners.filter(({ ownerKind }) => ownerKind === kind).map(({ ownerId }) => ownerId))];
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
