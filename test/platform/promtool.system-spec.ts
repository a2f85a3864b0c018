import { expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startApp } from '../setup/app.js';

function promtool(words: string[], input = ''): { status: number | null; output: string } | null {
  const { error, status, stdout, stderr } = spawnSync('promtool', words, { input, encoding: 'utf8' });
  if (error) {
    process.stdout.write('not run: promtool\n');
    return null;
  }
  return { status, output: stdout + stderr };
}

it('promtool accepts the names of all metrics', async () => {
  const app = await startApp({ env: { JOBS: 'false', DATABASE_REPLICA_URLS: process.env['DATABASE_URL'] ?? '' } });
  await app.as('owner').get('/v1/admin/distribution/channels/nothing');
  const { text } = await app.get('/metrics');
  const checked = promtool(['check', 'metrics'], text);
  if (checked) expect(checked).toEqual({ status: 0, output: '' });
});

it('promtool accepts the alert rules', () => {
  const checked = promtool(['check', 'rules', join(process.cwd(), 'deploy/monitoring/alerts.yaml')]);
  if (checked) expect(checked).toEqual({ status: 0, output: expect.stringMatching(/SUCCESS: \d+ rules found/) });
});
