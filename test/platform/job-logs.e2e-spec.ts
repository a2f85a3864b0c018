import { expect, it } from '@jest/globals';
import { Jobs } from '../../src/platform/jobs/jobs.js';
import { asSystem } from '../../src/platform/context/request-context.js';
import { eventually } from '../launcher/wait.js';
import { startApp } from '../setup/app.js';

const JOB = 'platform.budgets.purge';

it('the log line of a job that has ended has its name and duration as fields', async () => {
  const app = await startApp({ env: { LOG_LEVEL: 'info' } });
  await asSystem(() => app.nest.get(Jobs).add(JOB, {}));
  const lines = () => app.logs.map((line) => JSON.parse(line) as Record<string, unknown>);
  const line = await eventually(
    () => lines().find(({ job }) => job === JOB) ?? null,
    () => app.logs.join(''),
  );
  expect(line).toMatchObject({ level: 'info', durationMs: expect.any(Number), msg: expect.stringContaining(JOB) });
});
