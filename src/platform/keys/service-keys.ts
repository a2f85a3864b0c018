import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../clock/clock.js';
import { Database } from '../database/database.js';
import { Notifier } from '../database/notifier.js';
import { AppError, conflict, unavailable } from '../errors/app-error.js';
import { Cron } from '../jobs/job-decorators.js';
import { LOG } from '../observability/log.js';
import { KekProvider, type WrappedKey } from './kek-provider.js';

/** Purposes of the service's keys: `signing` links and cursors, `sealing` secrets that the database stores. */
export type KeyUse = 'signing' | 'sealing';
const USES: readonly KeyUse[] = ['signing', 'sealing'];

/** The time for which a replaced signing key still verifies: the longest lifetime of a token that this service signs. */
export const MAX_TOKEN_LIFETIME_SECONDS = 24 * 60 * 60;
/** All processes read a new key before the first token is signed with it. */
const RELOAD_MS = 20_000;
export const ACTIVATION_SECONDS = 60;
/** Each of them is tried when a token is verified. */
const MAX_SIGNING_KEYS = 16;

const KEY_BYTES = 32;
const CHANNEL = 'service_keys';
const SELECT = `
  select use, version, kek_id as "kekId", wrapped_key as "wrappedKey", active_at as "activeAt", expires_at as "expiresAt"
  from service_keys`;

interface StoredKey extends WrappedKey {
  use: KeyUse;
  version: number;
  activeAt: Date;
  /** When a replaced signing key is deleted; null for the newest one, and for keys that seal. */
  expiresAt: Date | null;
}

/** A key in the memory of this process. */
export class ServiceKey {
  private readonly derived = new Map<string, KeyObject>();

  constructor(
    /** The key as last read. */
    public stored: Readonly<StoredKey>,
    private readonly key: KeyObject | null,
  ) {}

  /** Whether the key could be unwrapped. */
  get available(): boolean {
    return this.key !== null;
  }

  /** A key for one purpose (RFC 5869). Throws 503 if the key-encryption key is missing. */
  derive(purpose: string): KeyObject {
    const known = this.derived.get(purpose);
    if (known) return known;
    const derived = this.deriveOnce(purpose, Buffer.alloc(0));
    this.derived.set(purpose, derived);
    return derived;
  }

  /** A key for one value, under a random salt; it is not kept. */
  deriveOnce(purpose: string, salt: Buffer): KeyObject {
    if (!this.key) throw unavailable('The key-encryption key is missing');
    const bytes = Buffer.from(hkdfSync('sha256', this.key, salt, purpose, KEY_BYTES));
    const derived = createSecretKey(bytes);
    bytes.fill(0);
    return derived;
  }
}

/** The keys of one use after a rotation. */
export interface Rotation {
  version: number;
  activeAt: Date;
}

/** The number of rewrapped keys, and the keys that could not be unwrapped. */
export interface Rewrapping {
  rewrapped: number;
  failed: string[];
}

/**
 * The keys of the service itself, stored wrapped by a key-encryption key. All of them are in the memory of each process, and
 * are read again every 20 seconds and when another process has changed them.
 */
@Injectable()
export class ServiceKeys implements OnModuleInit, OnApplicationBootstrap, OnApplicationShutdown {
  /** Newest first. */
  private keys: readonly ServiceKey[] = [];
  private loading: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly keks: KekProvider,
    private readonly notifier: Notifier,
    private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    const reload = () => void this.reload().catch(() => undefined);
    this.notifier.subscribe(CHANNEL, { onNotification: reload, onConnect: reload });
    this.timer = setInterval(reload, RELOAD_MS).unref();
  }

  /** Creates the first keys, and wraps all again if another key-encryption key has become primary. */
  async onApplicationBootstrap(): Promise<void> {
    const { failed } = await this.rewrap();
    for (const key of failed) this.log.error({ key }, 'a service key cannot be unwrapped');
    await this.reload();
    for (const use of USES) await this.createFirst(use);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.loading.catch(() => undefined);
    this.keys = [];
  }

  /** The newest key that every process knows. Throws 503 if it cannot be unwrapped. */
  active(use: KeyUse): ServiceKey {
    const now = this.clock.now();
    const keys = this.of(use);
    const key = keys.find(({ stored }) => stored.activeAt <= now) ?? keys.at(-1);
    if (!key?.available) throw unavailable('The key-encryption key is missing');
    return key;
  }

  /** Returns all valid keys, newest first, including keys that do not sign yet: the clock of another process may be ahead. */
  valid(use: KeyUse): ServiceKey[] {
    const now = this.clock.now();
    return this.of(use).filter(({ stored: { expiresAt } }) => expiresAt === null || expiresAt > now);
  }

  /** Returns the key of this version, even if another process has just created it; null if there is none. */
  async find(use: KeyUse, version: number): Promise<ServiceKey | null> {
    const search = () => this.of(use).find(({ stored }) => stored.version === version) ?? null;
    const found = search();
    if (found) return found;
    await this.reload();
    return search();
  }

  /**
   * Adds a key, which replaces the current one in a minute, when all processes know it; until then, this returns the same key.
   * A replaced signing key verifies for another day and is deleted then. A replaced sealing key is kept, because stored values
   * need it. Throws 409 `key_limit_reached` if a token would have to be tried with more than 16 keys.
   */
  async rotate(use: KeyUse): Promise<Rotation> {
    return this.change(async (now) => {
      const stored = await this.stored(use);
      const [newest] = stored;
      if (newest && newest.activeAt > now) return newest;
      if (use === 'signing' && stored.length >= MAX_SIGNING_KEYS) {
        throw conflict(
          'key_limit_reached',
          `The limit of ${MAX_SIGNING_KEYS} keys is reached; wait until the oldest one has expired`,
        );
      }
      // A key that no process can unwrap is replaced immediately.
      const isUsable = newest !== undefined && (await this.canUnwrap(newest));
      const activeAt = isUsable ? new Date(now.getTime() + ACTIVATION_SECONDS * 1000) : now;
      if (use === 'signing') {
        const expiresAt = new Date(activeAt.getTime() + MAX_TOKEN_LIFETIME_SECONDS * 1000);
        await this.database.execute(
          `update service_keys set expires_at = $1 where use = 'signing' and expires_at is null`,
          [expiresAt],
        );
      }
      return this.add({ use, version: (newest?.version ?? 0) + 1, activeAt }, now);
    });
  }

  /** Replaces all signing keys at once: every link and cursor that was signed before is invalid. For keys that have leaked. */
  async revoke(): Promise<Rotation> {
    return this.change(async (now) => {
      const [newest] = await this.stored('signing');
      await this.database.execute(`delete from service_keys where use = 'signing'`);
      return this.add({ use: 'signing', version: (newest?.version ?? 0) + 1, activeAt: now }, now);
    });
  }

  /** Wraps the keys of other key-encryption keys again with the primary one. Safe to repeat. */
  async rewrap(): Promise<Rewrapping> {
    const keys = await this.database.query<StoredKey>(`${SELECT} where kek_id <> $1`, [this.keks.primaryId]);
    const result: Rewrapping = { rewrapped: 0, failed: [] };
    for (const key of keys) {
      const plaintext = await this.unwrap(key);
      if (!plaintext) {
        result.failed.push(`${key.use} key ${key.version}, wrapped by ${key.kekId}`);
        continue;
      }
      const next = await this.keks.wrap(bindingOf(key), plaintext).finally(() => plaintext.fill(0));
      const { count } = await this.database.execute(
        'update service_keys set kek_id = $3, wrapped_key = $4 where use = $1 and version = $2 and kek_id = $5',
        [key.use, key.version, next.kekId, next.wrappedKey, key.kekId],
      );
      result.rewrapped += count;
    }
    return result;
  }

  @Cron('platform.service-keys.purge', '7 * * * *')
  async purge(): Promise<void> {
    const { count } = await this.database.execute('delete from service_keys where expires_at <= $1', [
      this.clock.now(),
    ]);
    if (count > 0) this.notifier.notify(CHANNEL, 'purge');
  }

  private of(use: KeyUse): ServiceKey[] {
    return this.keys.filter(({ stored }) => stored.use === use);
  }

  /** One at a time, so that an older read never replaces a newer one. It does not take part in the running transaction. */
  private reload(): Promise<void> {
    this.loading = this.loading.catch(() => undefined).then(() => this.database.apart(() => this.load()));
    return this.loading;
  }

  private async load(): Promise<void> {
    const rows = await this.database.query<StoredKey>(`${SELECT} order by use, version desc`);
    const keys: ServiceKey[] = [];
    for (const row of rows) keys.push(await this.toServiceKey(row));
    this.keys = keys;
  }

  private async toServiceKey(row: StoredKey): Promise<ServiceKey> {
    const known = this.of(row.use).find(({ stored }) => {
      return stored.version === row.version && stored.wrappedKey.equals(row.wrappedKey);
    });
    if (known?.available) {
      known.stored = row;
      return known;
    }
    const plaintext = await this.unwrap(row);
    const key = plaintext && createSecretKey(plaintext);
    plaintext?.fill(0);
    return new ServiceKey(row, key);
  }

  private async createFirst(use: KeyUse): Promise<void> {
    if (this.of(use).length > 0) return;
    await this.change(async (now) => {
      const [newest] = await this.stored(use);
      return newest ?? this.add({ use, version: 1, activeAt: now }, now);
    });
  }

  /** Runs one change at a time across all processes. */
  private async change(work: (now: Date) => Promise<Rotation>): Promise<Rotation> {
    const { version, activeAt } = await this.database.transaction(async () => {
      await this.database.execute('lock table service_keys in share row exclusive mode');
      const changed = await work(this.clock.now());
      this.notifier.notify(CHANNEL, 'change');
      // If it fails, the next refresh runs within seconds.
      this.database.afterCommit(() => this.reload().catch(() => undefined));
      return changed;
    });
    return { version, activeAt };
  }

  private stored(use: KeyUse): Promise<StoredKey[]> {
    return this.database.query<StoredKey>(`${SELECT} where use = $1 order by version desc`, [use]);
  }

  private async add(
    { use, version, activeAt }: Pick<StoredKey, 'use' | 'version' | 'activeAt'>,
    createdAt: Date,
  ): Promise<Rotation> {
    const plaintext = randomBytes(KEY_BYTES);
    const { kekId, wrappedKey } = await this.keks
      .wrap(bindingOf({ use, version }), plaintext)
      .finally(() => plaintext.fill(0));
    await this.database.execute(
      `insert into service_keys (use, version, kek_id, wrapped_key, created_at, active_at) values ($1, $2, $3, $4, $5, $6)`,
      [use, version, kekId, wrappedKey, createdAt, activeAt],
    );
    return { version, activeAt };
  }

  private async canUnwrap(key: StoredKey): Promise<boolean> {
    const plaintext = await this.unwrap(key);
    plaintext?.fill(0);
    return plaintext !== null;
  }

  /** Returns null if the key-encryption key is missing or wrong: one missing key must not stop the whole service. */
  private async unwrap(key: StoredKey): Promise<Buffer | null> {
    return this.keks.unwrap(bindingOf(key), key).catch((error: unknown) => {
      if (error instanceof AppError) return null;
      throw error;
    });
  }
}

/** Authenticated with the wrapped key: a key stored in another row does not unwrap. */
function bindingOf({ use, version }: { use: KeyUse; version: number }): string {
  return `service-key|${use}|${version}`;
}
