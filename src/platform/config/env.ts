/** What the process was told by its environment, parsed once (`readEnv`). Also the token by which services ask for it. */
export abstract class Env {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly surfaces: readonly string[];
  readonly databaseUrl: string;
  readonly databasePoolSize: number;
  readonly dataDir: string;
  readonly filesDir: string;
  readonly webConcurrency: number;
  readonly maxInFlight: number;
  readonly maxEventLoopDelayMs: number;
  readonly requestDeadlineMs: number;
  readonly drainSeconds: number;
  readonly logLevel: string;
  readonly metrics: boolean;
  readonly jobs: boolean;
  readonly demoData: boolean;
  readonly orgName: string;
  readonly orgAddress: string;
  readonly orgTaxId: string;
  readonly orgTimeZone: string;
  readonly rateLimitFactor: number;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly vaultKeks: ReadonlyMap<string, Buffer>;
  readonly vaultKekPrimary: string | null;
  readonly vaultUpsert: boolean;
  readonly bootstrapStaffToken: string | null;
  readonly bootstrapPlatformKey: string | null;
  readonly bootstrapAdminEmail: string | null;
  readonly bootstrapAdminPassword: string | null;
}
