import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import type * as S3 from '@aws-sdk/client-s3';
import type { Logger } from 'pino';
import { acceptNodeVersion, type S3Access } from '../config/file-stores.js';
import type { S3Location } from '../config/settings.js';
import { diskFull, unavailable } from '../errors/app-error.js';
import { hasKey, verified } from './content-hash.js';
import { isKey, MovableFiles, type OpenFile, pathOf, type StoredFile, type StoreFailure } from './file-store.js';

/**
 * Time limit of a call with its retries; a read must leave time for the rest of a request (REQUEST_DEADLINE_MS), a write
 * belongs to a job that is repeated. A copy ends when the store has not read or sent anything for `IDLE_MS`.
 */
const READ_MS = 6_000;
const WRITE_MS = 20_000;
const COPY_MS = 3_600_000;
const ATTEMPTS = 3;
const CONNECT_MS = 2_000;
const ANSWER_MS = 5_000;
const IDLE_MS = 30_000;
const PROBE_EVERY_MS = 2_000;
/** A download holds its connection until the client has read it. With the SDK's limit of 50, slow clients would block all other calls. */
const CONNECTIONS = { keepAlive: true, maxSockets: 500 };
const FULL = new Set<unknown>(['XMinioStorageFull', 'QuotaExceeded', 'InsufficientStorage']);
/** Calls that are rejected because there are too many of them. */
const THROTTLED = new Set<unknown>(['SlowDown', 'TooManyRequests', 'RequestTimeout', 'ThrottlingException']);
/** NoSuchBucket is not one of them: then the store itself is missing. */
const MISSING = new Set<unknown>(['NoSuchKey', 'NotFound']);
/** The object that is written to find out whether the store accepts files again. */
const PROBE = 'probe';

const ignore = () => undefined;
/** The SDK would write warnings to the console; every failure is reported by the call that failed. */
const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

type Kind = 'read' | 'write';
type CallOptions = { abortSignal: AbortSignal; requestTimeout?: number };

/**
 * Files in a bucket of an S3-compatible store. An object appears when all of its bytes are stored, and the store verifies
 * their SHA-256 before. After a failure a call is tried in the background until it succeeds; meanwhile `failure` names
 * the reason, and calls to a store that cannot be reached fail at once, so that requests do not wait for it.
 */
export class S3Files extends MovableFiles implements OnApplicationShutdown {
  private readonly client: S3.S3Client;
  private readonly stopping = new AbortController();
  /** A full store can still be read, so the two failures end independently. */
  private readonly failing = new Map<Kind, StoreFailure>();
  private probing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly sdk: typeof S3,
    private readonly location: S3Location,
    private readonly access: S3Access,
    private readonly log: Pick<Logger, 'error' | 'info'>,
  ) {
    super();
    const { endpoint, region, pathStyle, credentials } = access;
    this.client = new sdk.S3Client({
      region,
      forcePathStyle: pathStyle,
      ...(endpoint !== null && { endpoint }),
      // Only the checked setting decides where files go, not AWS_ENDPOINT_URL or the shared configuration of the SDK.
      ignoreConfiguredEndpointUrls: true,
      ...(credentials && { credentials }),
      maxAttempts: ATTEMPTS,
      logger: SILENT,
      // Every call names the SHA-256 itself. Some stores reject the checksums that the SDK adds by default.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        requestTimeout: ANSWER_MS,
        throwOnRequestTimeout: true,
        socketTimeout: IDLE_MS,
        httpAgent: CONNECTIONS,
        httpsAgent: CONNECTIONS,
      },
    });
  }

  /** Loads the SDK, which a service without a bucket never does, and tries the store in the background. */
  static async connect(location: S3Location, access: S3Access, log: Pick<Logger, 'error' | 'info'>): Promise<S3Files> {
    acceptNodeVersion();
    const store = new S3Files(await import('@aws-sdk/client-s3'), location, access, log);
    store.probing = store.probe('read').catch((error: unknown) => void store.report(error, 'read'));
    return store;
  }

  failure(): StoreFailure | null {
    return this.failing.get('write') ?? this.failing.get('read') ?? null;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.probing.catch(() => undefined);
    this.client.destroy();
  }

  async put(bytes: Uint8Array): Promise<StoredFile> {
    const key = createHash('sha256').update(bytes).digest('hex');
    const sizeBytes = bytes.length;
    if ((await this.verify(key)) !== 'whole') {
      await this.call('write', WRITE_MS, ({ abortSignal }) =>
        this.client.send(this.putCommand(key, bytes, sizeBytes), { abortSignal, requestTimeout: WRITE_MS }),
      );
    }
    return { key, sizeBytes };
  }

  async has(key: string): Promise<boolean> {
    if ((await this.head(key)) !== null) return true;
    // The response to HEAD has no body, so it does not distinguish a missing bucket from a missing object.
    if (isKey(key)) await this.call('read', READ_MS, (options) => this.client.send(this.shortList(), options));
    return false;
  }

  async open(key: string): Promise<OpenFile | null> {
    if (!isKey(key)) return null;
    const command = new this.sdk.GetObjectCommand(this.objectOf(pathOf(key)));
    const found = await this.call('read', READ_MS, (options) => this.client.send(command, options));
    if (!found) return null;
    const { Body: stream, ContentLength: sizeBytes } = found;
    if (!(stream instanceof Readable) || sizeBytes === undefined)
      throw storeUnavailable(new Error('The store sent no content'));
    return { stream, sizeBytes };
  }

  async *list(): AsyncIterable<StoredFile> {
    const { bucket: Bucket, prefix } = this.location;
    const start = prefix === '' ? '' : `${prefix}/`;
    let token: string | undefined;
    do {
      const from = token === undefined ? {} : { ContinuationToken: token };
      const command = new this.sdk.ListObjectsV2Command({ Bucket, Prefix: start, ...from });
      const page = await this.call('read', READ_MS, (options) => this.client.send(command, options));
      for (const { Key = '', Size = 0 } of page?.Contents ?? []) {
        const key = Key.slice(Key.lastIndexOf('/') + 1);
        if (isKey(key) && Key === start + pathOf(key)) yield { key, sizeBytes: Size };
      }
      token = page?.NextContinuationToken;
    } while (token !== undefined);
  }

  async copy(file: StoredFile, bytes: Readable): Promise<void> {
    const content = verified(file);
    const failed = new AbortController();
    // The SDK does not notice that its source has failed.
    pipeline(bytes, content, (error) => error && failed.abort());
    const command = this.putCommand(file.key, content, file.sizeBytes);
    try {
      await this.call('write', COPY_MS, (options) => {
        const abortSignal = AbortSignal.any([options.abortSignal, failed.signal]);
        return this.client.send(command, { abortSignal, requestTimeout: COPY_MS }).catch((error: unknown) => {
          throw content.errored ? new SourceFailed(content.errored) : error;
        });
      });
    } catch (error) {
      throw error instanceof SourceFailed ? error.cause : error;
    } finally {
      content.destroy();
    }
  }

  /** Verifies the checksum that the store computed when it received the file; without one, reads the file. */
  async verify(key: string): Promise<'whole' | 'damaged' | 'missing'> {
    const head = await this.head(key);
    if (!head) return 'missing';
    const { ChecksumSHA256: checksum, ChecksumType: type } = head;
    if (checksum !== undefined && type !== 'COMPOSITE') return checksum === base64Of(key) ? 'whole' : 'damaged';
    const file = await this.open(key);
    if (!file) return 'missing';
    const isWhole = await hasKey(file.stream, key).catch((error: unknown) => {
      this.report(error, 'read');
      throw storeUnavailable(error);
    });
    return isWhole ? 'whole' : 'damaged';
  }

  async delete(key: string): Promise<void> {
    const command = new this.sdk.DeleteObjectCommand(this.objectOf(pathOf(key)));
    await this.call('write', WRITE_MS, (options) =>
      this.client.send(command, options).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      }),
    );
  }

  private async head(key: string): Promise<S3.HeadObjectCommandOutput | null> {
    if (!isKey(key)) return null;
    const command = new this.sdk.HeadObjectCommand({ ...this.objectOf(pathOf(key)), ChecksumMode: 'ENABLED' });
    return this.call('read', READ_MS, (options) =>
      this.client.send(command, options).catch((error: unknown) => this.explained(error, options)),
    );
  }

  /**
   * The response to HEAD has no body and names no reason for a rejection; the response to a list does. Without the right to
   * list, S3 answers 403 for a missing object as well, so 403 is never taken for a missing file.
   */
  private async explained(error: unknown, options: CallOptions): Promise<never> {
    if (!isMissing(error) && reasonOf(error) === 'rejected') await this.client.send(this.shortList(), options);
    throw error;
  }

  private putCommand(key: string, Body: Uint8Array | Readable, ContentLength: number): S3.PutObjectCommand {
    return new this.sdk.PutObjectCommand({
      ...this.objectOf(pathOf(key)),
      Body,
      ContentLength,
      ChecksumSHA256: base64Of(key),
      ...this.encryption(),
    });
  }

  private encryption(): Pick<S3.PutObjectCommandInput, 'ServerSideEncryption' | 'SSEKMSKeyId'> {
    const { encryption, kmsKeyId } = this.access;
    return {
      ...(encryption !== null && { ServerSideEncryption: encryption }),
      ...(kmsKeyId !== null && { SSEKMSKeyId: kmsKeyId }),
    };
  }

  /**
   * Whether the bucket exists and can be read. It lists the one object that is not a file: the response to HeadBucket has no
   * body, so it does not name the reason of a rejection, and a policy that permits only a prefix rejects it.
   */
  private shortList(): S3.ListObjectsV2Command {
    const { Bucket, Key: Prefix } = this.objectOf(PROBE);
    return new this.sdk.ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 });
  }

  private objectOf(path: string): { Bucket: string; Key: string } {
    const { bucket: Bucket, prefix } = this.location;
    return { Bucket, Key: prefix === '' ? path : `${prefix}/${path}` };
  }

  /** Returns null if the object to read is missing. Throws 503 for every other failure. */
  private async call<T>(kind: Kind, withinMs: number, send: (options: CallOptions) => Promise<T>): Promise<T | null> {
    if ([...this.failing.values()].includes('unreachable'))
      throw storeUnavailable(new Error('The store did not respond to the last call'));
    try {
      return await within(withinMs, send);
    } catch (error) {
      if (error instanceof SourceFailed) throw error;
      // A write to a store that answers so has stored nothing.
      if (kind === 'read' && isMissing(error)) return null;
      throw this.report(error, kind) === 'full' ? Object.assign(diskFull(), { cause: error }) : storeUnavailable(error);
    }
  }

  /** Starts to try the store until it works. */
  private report(error: unknown, kind: Kind): StoreFailure {
    const reason = reasonOf(error);
    if (this.stopping.signal.aborted) return reason;
    const { bucket } = this.location;
    const before = [...this.failing.values()];
    this.failing.set(kind, reason);
    if (!before.includes(reason)) {
      this.log.error({ err: loggable(error), bucket, reason }, 'the file store is not usable');
    }
    if (before.length === 0) this.probing = this.waitUntilUsable();
    return reason;
  }

  private async waitUntilUsable(): Promise<void> {
    const { signal } = this.stopping;
    while (this.failing.size > 0) {
      await pause(PROBE_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      for (const kind of [...this.failing.keys()]) {
        await this.probe(kind).then(
          () => void this.failing.delete(kind),
          (error: unknown) => void this.report(error, kind),
        );
      }
    }
    this.log.info({ bucket: this.location.bucket }, 'the file store is usable again');
  }

  private async probe(kind: Kind): Promise<void> {
    const { signal } = this.stopping;
    await within(READ_MS, async ({ abortSignal }) => {
      const options = { abortSignal: AbortSignal.any([abortSignal, signal]) };
      if (kind === 'read') await this.client.send(this.shortList(), options);
      else await this.client.send(this.probeCommand(), options);
    });
  }

  private probeCommand(): S3.PutObjectCommand {
    return new this.sdk.PutObjectCommand({ ...this.objectOf(PROBE), Body: PROBE, ...this.encryption() });
  }
}

/** The content of a copy failed, not the store. */
class SourceFailed extends Error {
  constructor(override readonly cause: Error) {
    super(cause.message);
  }
}

async function within<T>(ms: number, send: (options: CallOptions) => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    return await send({ abortSignal: late.signal });
  } catch (error) {
    throw late.signal.aborted ? new Error(`The store did not answer within ${ms} ms`) : error;
  } finally {
    // The content of a response is read later and must not be cut off.
    clearTimeout(timer);
  }
}

function isMissing(error: unknown): boolean {
  return MISSING.has(memberOf(error, 'name'));
}

function reasonOf(error: unknown): StoreFailure {
  const name = memberOf(error, 'name');
  const status = memberOf(memberOf(error, '$metadata'), 'httpStatusCode');
  if (FULL.has(name) || status === 507) return 'full';
  if (name === 'CredentialsProviderError') return 'rejected';
  if (THROTTLED.has(name) || typeof status !== 'number' || status >= 500) return 'unreachable';
  return 'rejected';
}

/** Omits the other members of the response, which contain the access key and the signed data. */
function loggable(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { name, message, stack } = error;
  const status = memberOf(memberOf(error, '$metadata'), 'httpStatusCode');
  return Object.assign(new Error(message), { name, stack, code: memberOf(error, 'code'), status });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function base64Of(key: string): string {
  return Buffer.from(key, 'hex').toString('base64');
}

function storeUnavailable(cause: unknown): Error {
  return Object.assign(unavailable('The file storage is unavailable'), { cause });
}
