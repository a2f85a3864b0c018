import { DecoratedMethods, methodDecorator } from '../discovery/decorated-methods.js';
import type { JobMethod } from '../jobs/job-decorators.js';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Listeners } from '../discovery/listeners.js';
import { Clock } from '../clock/clock.js';
import { Database } from '../database/database.js';
import type { Statement } from '../database/statement.js';
import type { Collector } from '../database/transaction-state.js';
import { CHANNEL_NAME, newId } from '../ids/id.js';
import { Jobs, type NewJob } from '../jobs/jobs.js';

/** Work that follows an event. */
export interface Consumer {
  /** The name of the job that is added for each event, with the data of the event. */
  readonly job: string;
  /** If present, a newer event of the same subject replaces one whose job still waits: each event must be complete. */
  readonly subjectOf?: (data: Record<string, unknown>) => string;
}

/** Adds a job for each event of this name, in the order of the events. The method runs it by `@Job`. */
export const Consumes = methodDecorator<Consumer & { readonly event: string }, JobMethod>();

/**
 * Events of one form: their channels, and the members of their data besides the event's own `id`. In a channel name `{member}`
 * stands for the value of that member; if it is null, the event does not appear on that channel. A name that starts with
 * `{operatorId}` is a channel of operators.
 */
export interface EventGroup {
  channels: readonly string[];
  events: readonly string[];
  members: readonly string[];
}

const OF_OPERATORS = '{operatorId}.';

/** Whether the declared name of a channel stands for one channel of each operator. */
export function isForOperators(channel: string): boolean {
  return channel.startsWith(OF_OPERATORS);
}

/** The grammar of event names on the realtime surface. */
export const EVENT_NAME = /^[A-Za-z0-9_.:-]{1,200}$/;

/** An event for other systems: ids and figures, never personal data. */
export interface DomainEvent {
  /** The realtime channel it appears on, e.g. `finance.supplier-invoices` or `trips.<id>`. */
  channel: string;
  /** e.g. `supplier_invoice.approved`. */
  event: string;
  /** Besides these members the message carries the event's own `id`, by which a consumer recognizes a duplicate. */
  data: Record<string, unknown> & { id?: never };
}

/** An event that the relay publishes on one of its channels. */
export interface PublishedEvent {
  /** The event's own id; another one on each of its channels. */
  readonly id: string;
  readonly channel: string;
  readonly event: string;
  readonly data: Record<string, unknown>;
  readonly createdAt: Date;
}

/** Called for all events in the transaction in which the relay publishes them, in their order. Implementations declare `@Listens`. */
export abstract class EventListener {
  /** How many of these events, at least one, `published` can process in a transaction; all without this method. */
  acceptable?(events: readonly PublishedEvent[]): Promise<number>;
  published?(events: readonly PublishedEvent[]): Promise<void>;
}

/**
 * Events are stored in the transaction that causes them, and a relay publishes them after the commit, at least once and in
 * order per channel.
 */
@Injectable()
export class Outbox implements Collector<DomainEvent>, OnModuleInit {
  readonly order = 10;
  private readonly groups = new Map<string, EventGroup[]>();
  /** Names of channels, prefixes of names, and what follows the ID of an operator, in lower case. */
  private readonly relayed = { names: new Set<string>(), prefixes: new Set<string>(), ofOperators: new Set<string>() };
  private readonly consumers = new Map<string, Consumer[]>();
  private readonly wakers: (() => void)[] = [];

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly methods: DecoratedMethods,
    private readonly listeners: Listeners,
  ) {}

  onModuleInit(): void {
    for (const { options } of this.methods.find(Consumes)) this.consume(options.event, options.job, options);
  }

  /** Declares events. An undeclared event would be missing in the list of events for subscribers. */
  declare(groups: readonly EventGroup[]): void {
    for (const group of groups) {
      for (const event of group.events) this.groups.set(event, [...this.groupsOf(event), group]);
      for (const channel of group.channels) this.addRelayed(channel);
    }
  }

  /** The forms in which an event was declared; empty if it was not. */
  groupsOf(event: string): readonly EventGroup[] {
    return this.groups.get(event) ?? [];
  }

  /** The names of all declared events. */
  eventNames(): string[] {
    return [...this.groups.keys()];
  }

  /**
   * Whether only the relay may publish on a channel of this name: it is a channel of declared events, or differs from one only in
   * upper and lower case, which a subscriber could overlook.
   */
  isRelayed(channel: string): boolean {
    return this.isOfPlatform(channel) || this.isOfOperator(channel);
  }

  /** Whether only the relay may publish on a channel of this name, and an operator reads it: the one whose ID starts the name. */
  isOfOperator(channel: string): boolean {
    const [, ...rest] = channel.toLowerCase().split('.');
    return this.relayed.ofOperators.has(rest.join('.')) && !this.isOfPlatform(channel);
  }

  /**
   * Stores the event in the running transaction. Throws for an event that was not declared, and on a name that no channel
   * or event can have: it could never be published.
   */
  add(event: DomainEvent): void {
    if (!CHANNEL_NAME.test(event.channel) || !EVENT_NAME.test(event.event)) {
      throw new Error(`'${event.event}' on '${event.channel}' can never be published`);
    }
    if (!this.groups.has(event.event)) throw new Error(`'${event.event}' is not declared (see domain-events.ts)`);
    this.database.collect(this, event);
    this.database.afterCommit(this.wake);
  }

  /** Adds a job for each event of this name; see `@Consumes`. */
  consume(event: string, job: string, { subjectOf }: Pick<Consumer, 'subjectOf'> = {}): void {
    this.consumers.set(event, [...(this.consumers.get(event) ?? []), subjectOf ? { job, subjectOf } : { job }]);
  }

  /** Returns as many of the first events as all listeners can process in a transaction. */
  async acceptable<E extends PublishedEvent>(events: readonly E[]): Promise<readonly E[]> {
    let accepted = events;
    for (const listener of this.listeners.all(EventListener)) {
      accepted = accepted.slice(0, (await listener.acceptable?.(accepted)) ?? accepted.length);
    }
    return accepted;
  }

  /** Adds the jobs of events and calls the listeners, in the transaction in which the relay publishes them. */
  async handOn(events: readonly PublishedEvent[]): Promise<void> {
    const jobs = events.flatMap(({ event, data }) =>
      (this.consumers.get(event) ?? []).map(({ job, subjectOf }): NewJob => {
        const key = subjectOf && `${job}:${subjectOf(data)}`;
        return { name: job, payload: data, queue: job, ...(key ? { key } : {}) };
      }),
    );
    await this.jobs.addAll(jobs);
    await this.listeners.call(EventListener, (listener) => listener.published?.(events));
  }

  /** Registers a callback for new events of this process; the relay polls for events of other processes. */
  onCommitted(wake: () => void): void {
    this.wakers.push(wake);
  }

  statement(events: DomainEvent[]): Statement {
    return {
      name: 'outbox-add',
      text: `insert into outbox_events (id, channel, event, data, created_at)
       select id, channel, event, data::json, $5
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality as e (id, channel, event, data, n)
       order by n`,
      values: [
        events.map(() => newId('evt')),
        events.map(({ channel }) => channel),
        events.map(({ event }) => event),
        events.map(({ data }) => JSON.stringify(data)),
        this.clock.now(),
      ],
    };
  }

  private isOfPlatform(channel: string): boolean {
    const name = channel.toLowerCase();
    return this.relayed.names.has(name) || [...this.relayed.prefixes].some((prefix) => name.startsWith(prefix));
  }

  /** The name of a channel up to its first `{member}`, or all of it. */
  private addRelayed(channel: string): void {
    if (isForOperators(channel)) {
      this.relayed.ofOperators.add(channel.slice(OF_OPERATORS.length).toLowerCase());
      return;
    }
    const [prefix = '', ...members] = channel.toLowerCase().split('{');
    if (members.length === 0) this.relayed.names.add(prefix);
    else this.relayed.prefixes.add(prefix);
  }

  private readonly wake = () => this.wakers.forEach((wake) => wake());
}
