import type { FileStoreLocation, S3Access } from './file-stores.js';
import type { TokenSettings } from './keks.js';
import type { Dkim, MailTls } from './mail-transport.js';
import type { UnknownSetting } from './unknown-settings.js';

/** The configuration of the process, parsed once from its environment (`readEnv`). Also the injection token. */
export abstract class Env {
  readonly production: boolean;
  /** Variables that are probably misspelled settings. */
  readonly unknownSettings: readonly UnknownSetting[];
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly surfaces: readonly string[];
  readonly databaseUrl: string;
  /** The address of the server itself, for work that needs a session; the same as `databaseUrl` unless that is a pooler. */
  readonly databaseDirectUrl: string;
  /** The owner of the tables, for migrations; null: the role of `databaseDirectUrl` runs them. */
  readonly migrationDatabaseUrl: string | null;
  /** Whether a start applies pending migrations; otherwise it rejects a schema that is older than it needs. */
  readonly migrate: boolean;
  readonly databasePoolSize: number;
  /** If null, all reads use the primary. */
  readonly databaseReplicaUrl: string | null;
  readonly databaseReplicaMaxLagMs: number;
  readonly dataDir: string;
  readonly files: FileStoreLocation;
  /** The store read for files that `files` does not have; null except during a move. */
  readonly filesFallback: FileStoreLocation | null;
  /** Access to the S3-compatible store; null if neither store is a bucket. */
  readonly s3: S3Access | null;
  readonly ledgerCheckpointFile: string;
  readonly ledgerCheckpointMinutes: number;
  /** Whether this process writes checkpoints; a command does not. */
  readonly ledgerCheckpoints: boolean;
  readonly webConcurrency: number;
  readonly maxInFlight: number;
  readonly maxEventLoopDelayMs: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly maxReceivingMib: number;
  readonly maxReceivingMibPerAddress: number;
  readonly maxStreams: number;
  readonly maxStreamsPerCredential: number;
  readonly requestDeadlineMs: number;
  readonly drainSeconds: number;
  readonly providerCallMs: number;
  /** Addresses, networks and names that are not of the Internet, and to which requests may be sent. */
  readonly egressAllow: readonly string[];
  readonly logLevel: string;
  readonly metrics: boolean;
  readonly serviceName: string;
  /** The collector of traces and metrics; null: OpenTelemetry is off. */
  readonly otlpEndpoint: string | null;
  readonly otlpHeaders: Readonly<Record<string, string>>;
  /** The share of traces that are recorded. */
  readonly traceRatio: number;
  readonly tracePropagationOrigins: readonly string[];
  /** The module that receives unexpected errors. */
  readonly errorReporter: string | null;
  readonly docs: boolean;
  readonly jobs: boolean;
  readonly scheduledJobs: boolean;
  readonly demoData: boolean;
  readonly orgName: string;
  readonly orgAddress: string;
  readonly orgTaxId: string;
  readonly orgTimeZone: string;
  readonly smtpUrl: string | null;
  readonly mailTls: MailTls;
  readonly dkim: Dkim | null;
  readonly mailFrom: string;
  /** The domain of envelope senders with a token; null: mails have the address of `mailFrom`. */
  readonly bounceDomain: string | null;
  /** The bearer token of bounce reports; null: they are not accepted. */
  readonly bounceReportSecret: string | null;
  readonly accountLinkUrl: string;
  readonly quietHours: string | null;
  readonly blackoutDays: readonly string[];
  readonly remindersPerDay: number;
  readonly accountingRetentionYears: number;
  readonly contractRetentionMonths: number;
  readonly travelRetentionDays: number;
  readonly contactRetentionMonths: number;
  readonly messageRetentionMonths: number;
  readonly rateLimitFactor: number;
  readonly requireMfa: boolean;
  readonly apiTokensWithoutEnd: boolean;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly catalogMarkets: readonly string[];
  readonly searchAdapter: string;
  readonly embedder: string;
  readonly embeddingThreads: number;
  readonly embeddingUrl: string | null;
  readonly embeddingApiKey: string | null;
  readonly embeddingModel: string | null;
  readonly embeddingLanguages: readonly string[];
  /** Key-encryption keys by id, each 32 bytes. Empty only in development. */
  readonly keks: ReadonlyMap<string, Buffer>;
  /** The key-encryption key that wraps new keys; null only if there is none. */
  readonly kekPrimary: string | null;
  /** A PKCS#11 token with key-encryption keys; null if none is configured. */
  readonly kekToken: TokenSettings | null;
  readonly vaultUpsert: boolean;
  readonly vaultKeyDestructionDays: number;
  readonly bootstrapStaffToken: string | null;
  readonly bootstrapPlatformKey: string | null;
  readonly bootstrapAdminEmail: string | null;
  readonly bootstrapAdminPassword: string | null;
}
