import type { INestApplication } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Env } from './platform/config/env.js';
import { oneAtATime } from './platform/database/migrator.js';
import { Installation } from './platform/provisioning/installation.js';
import { Provisioning } from './platform/provisioning/provisioning.js';
import { printStep } from './welcome.js';

/** Does once per database what a first start does; several processes may start at the same time. */
export async function firstStart(
  app: INestApplication,
  { env, dataSource }: { env: Env; dataSource: DataSource },
): Promise<null> {
  const installation = app.get(Installation);
  await oneAtATime(dataSource, async () => {
    if (!env.demoData || (await installation.isDone('demo-data'))) return;
    await app.get(Provisioning).loadDemo((title, milliseconds) => printStep(`demo data: ${title}`, milliseconds));
    await installation.markDone('demo-data');
  });
  return null;
}
