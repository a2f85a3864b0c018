import type { INestApplication } from '@nestjs/common';
import {
  type Credentials,
  describesAnotherProcess,
  readCredentials,
  setAsideCredentials,
  writeCredentials,
} from './credentials-file.js';
import { NumberSeriesService } from '../modules/finance/index.js';
import { type InitialCredentials, InitialCredentialsService } from '../modules/identity/index.js';
import { LegalDemo } from '../modules/legal/index.js';
import { OrganizationService } from '../modules/organization/index.js';
import { TokenVerifier } from '../platform/auth/token-verifier.js';
import type { Env } from '../platform/config/env.js';
import { asSystem } from '../platform/context/request-context.js';
import { Database } from '../platform/database/database.js';
import { oneAtATime } from '../platform/database/migrator.js';
import { demoId } from '../platform/ids/id.js';
import { Installation, Provisioning } from '../platform/provisioning/provisioning.js';
import { printLine, stepLine } from './welcome.js';

/** Rows of the demo data of other modules that credentials.json lists. */
const DEMO = {
  operatorId: 'op_demo',
  providerKey: 'demo-activities',
  vaultSlug: 'primary',
  demo: { contractId: null, channelId: demoId('chan', 2) },
};

interface FirstStart {
  note?: (line: string) => void;
  /** Whether the demo data contains the season. Without it, no later start loads it either. */
  withSeason?: boolean;
}

/**
 * Performs the first start once per database; several processes may start at the same time. Returns the content of the
 * credentials file: null in production, and if the file of an earlier start is missing or belongs to another database.
 */
export async function firstStart(
  app: INestApplication,
  env: Env,
  { note = printLine, withSeason = true }: FirstStart = {},
): Promise<Credentials | null> {
  return oneAtATime(env.databaseDirectUrl, async () => {
    const started = performance.now();
    const { owner } = await app.get(InitialCredentialsService).issue(env, (issue) => keep(issue, env));
    if (owner) note(stepLine('first owner and keys', performance.now() - started));
    await app.get(OrganizationService).seedProfile();
    if (env.demoData) await loadDemoData(app, { note, withSeason });
    await provideNumberSeries(app);
    return env.production ? null : currentCredentials(app, env);
  });
}

async function keep(issue: InitialCredentials, env: Env): Promise<void> {
  const { owner, platformKey, limitedPlatformKey } = issue;
  if (env.production || !owner?.token || platformKey === null || limitedPlatformKey === null) return;
  await setAsideCredentials(env.dataDir);
  const staff = { email: owner.email, password: owner.password, token: owner.token };
  await writeCredentials(env.dataDir, { baseUrl: env.baseUrl, staff, platformKey, limitedPlatformKey, ...DEMO });
}

/** Loads each part of the demo data in one transaction, so that a start that is killed leaves no piece of it. */
async function loadDemoData(app: INestApplication, { note, withSeason }: Required<FirstStart>): Promise<void> {
  const installation = app.get(Installation);
  const progress = (title: string, milliseconds: number) => note(stepLine(`demo data: ${title}`, milliseconds));
  for (const [part, step] of [
    ['examples', 'demo-data'],
    ['season', 'demo-season'],
  ] as const) {
    if (await installation.isDone(step)) continue;
    // What runs just before the commit acts as the system, too.
    await asSystem(() =>
      app.get(Database).transaction(async () => {
        if (part === 'examples' || withSeason) await app.get(Provisioning).loadDemo(part, progress);
        await installation.markDone(step);
      }),
    );
  }
}

/** Runs after the demo data, which has its own series, and only once, so that series that staff delete stay deleted. */
async function provideNumberSeries(app: INestApplication): Promise<void> {
  const installation = app.get(Installation);
  if (await installation.isDone('number-series')) return;
  await asSystem(() =>
    app.get(Database).transaction(async () => {
      await app.get(NumberSeriesService).provideDefaults();
      await installation.markDone('number-series');
    }),
  );
}

/**
 * Returns the content of the file if its credentials belong to this database. Its address becomes the address of this process,
 * unless another running process uses it. The id of the demo contract is random and was not known when the file was written.
 */
async function currentCredentials(app: INestApplication, env: Env): Promise<Credentials | null> {
  const credentials = await readCredentials(env.dataDir);
  if (credentials === null || (await app.get(TokenVerifier).verify(credentials.staff.token)) === null) return null;
  if (await describesAnotherProcess(env.dataDir)) return credentials;
  const contractId = await app.get(LegalDemo).publicContractId();
  const current = { ...credentials, baseUrl: env.baseUrl, demo: { ...credentials.demo, contractId } };
  await writeCredentials(env.dataDir, current);
  return current;
}
