import { expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../launcher/folders.js';
import { startApp } from '../setup/app.js';

const RULES = join(process.cwd(), 'deploy/monitoring/alerts.yaml');

const RUNBOOKS = 'https://git.your-company.com/travel/blob/main/docs/operations/alerts.md#';

interface ExpectedAlert {
  labels: Record<string, string>;
  summary: string;
}

function promtool(words: string[], input = ''): { status: number | null; output: string } | null {
  const { error, status, stdout, stderr } = spawnSync('promtool', words, { input, encoding: 'utf8' });
  if (error) {
    process.stdout.write('not run: promtool\n');
    return null;
  }
  return { status, output: stdout + stderr };
}

/**
 * Evaluates the rules over time series with one value a minute. `alerts` are the alerts with this name that fire at a minute;
 * a rule with `for` fires later than its expression has a value.
 */
function expectAlerts(name: string, series: Record<string, string>, alerts: Record<number, ExpectedAlert[]>): void {
  const test = {
    interval: '1m',
    input_series: Object.entries(series).map(([each, values]) => ({ series: each, values })),
    alert_rule_test: Object.entries(alerts).map(([minute, expected]) => ({
      eval_time: `${minute}m`,
      alertname: name,
      exp_alerts: expected.map(({ labels, summary }) => ({
        exp_labels: labels,
        exp_annotations: { summary, runbook_url: RUNBOOKS + name.toLowerCase() },
      })),
    })),
  };
  const folder = newFolder();
  const file = join(folder, 'alerts.test.json');
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests: [test] }));
  const checked = promtool(['test', 'rules', file]);
  rmSync(folder, { recursive: true });
  if (checked) expect(checked).toEqual({ status: 0, output: expect.stringContaining('SUCCESS') });
}

it('promtool accepts the names of all metrics', async () => {
  const app = await startApp({ env: { JOBS: 'false', DATABASE_REPLICA_URL: process.env['DATABASE_URL'] ?? '' } });
  await app.as('owner').get('/v1/admin/distribution/channels/nothing');
  const { text } = await app.get('/metrics');
  const checked = promtool(['check', 'metrics'], text);
  if (checked) expect(checked).toEqual({ status: 0, output: '' });
});

it('promtool accepts the alert rules', () => {
  const checked = promtool(['check', 'rules', RULES]);
  if (checked) expect(checked).toEqual({ status: 0, output: expect.stringMatching(/SUCCESS: \d+ rules found/) });
});

it('ServiceDown fires for a process that does not respond, and if there is no process at all', () => {
  const job = 'travel-operations';
  const one = { labels: { job, instance: 'a', severity: 'critical' }, summary: 'a does not respond to Prometheus' };
  expectAlerts('ServiceDown', { [`up{job="${job}",instance="a"}`]: '1x4 0x5' }, { 4: [], 7: [one] });
  const all = { labels: { job, severity: 'critical' }, summary: 'No process responds to Prometheus' };
  expectAlerts('ServiceDown', { [`up{job="${job}",instance="a"}`]: '1x4 stale' }, { 4: [], 7: [all] });
});

it('DiskFull fires at once, and RequestsUnavailable for minutes of responses with 503', () => {
  const disk = 'disk_full{job="travel-operations",instance="a",store="database"}';
  const full = {
    labels: { job: 'travel-operations', instance: 'a', store: 'database', severity: 'critical' },
    summary: 'The disk of the database is full: a rejects writes until there is space',
  };
  expectAlerts('DiskFull', { [disk]: '_x4 1x5 stale' }, { 3: [], 4: [full], 12: [] });
  const errors = 'error_responses_total{job="travel-operations",instance="a",code="service_unavailable"';
  const unavailable = {
    labels: { instance: 'a', severity: 'warning' },
    summary: 'a answers requests with 503: a dependency does not respond; /health/ready and the log name it',
  };
  const series = { [`${errors},surface="staff"}`]: '_x4 5+5x20', [`${errors},surface="vault"}`]: '_x4 5+5x20' };
  expectAlerts('RequestsUnavailable', series, { 6: [], 18: [unavailable] });
  expectAlerts('RequestsUnavailable', { [`${errors},surface="staff"}`]: '0x9 3x20' }, { 18: [] });
});

it('BackupTooOld fires 26 hours after the last backup began, and BackupMissing if there was none for 26 hours', () => {
  const labels = { namespace: 'production', severity: 'critical' };
  const last = 'backup_last_success_timestamp_seconds{job="travel-operations",namespace="production",instance="a"}';
  const up = 'db_up{job="travel-operations",namespace="production",instance="a"}';
  const old = { labels, summary: 'The last complete backup began 1d 2h 1m 0s ago' };
  expectAlerts('BackupTooOld', { [last]: '0x1561 90000x10' }, { 1560: [], 1561: [old], 1562: [] });
  const missing = { labels, summary: 'No complete backup was ever made' };
  expectAlerts('BackupMissing', { [up]: '1x1700', [last]: '_x1600 96000x99' }, { 1559: [], 1561: [missing], 1602: [] });
  // Without the database nothing is known about backups.
  expectAlerts('BackupMissing', { [up]: '0x1700' }, { 1600: [] });
});

it('JobsFailed fires for a new failed job, and ends an hour later although the job remains', () => {
  const alert = (count: number) => ({
    labels: { severity: 'warning' },
    summary: `${count} jobs have failed in all their attempts within an hour`,
  });
  const one = 'jobs_failed{job="travel-operations",instance="a"}';
  const other = 'jobs_failed{job="travel-operations",instance="b"}';
  expectAlerts('JobsFailed', { [one]: '0x9 1x200' }, { 9: [], 10: [alert(1)], 69: [alert(1)], 70: [], 180: [] });
  // Another process with other labels reports the same jobs.
  expectAlerts('JobsFailed', { [one]: '3x99 stale', [other]: '_x99 3x40 5x60' }, { 120: [], 145: [alert(2)] });
  expectAlerts('JobsFailed', { [one]: '_x9 1x200' }, { 10: [alert(1)], 70: [] });

  // Another installation, and another program.
  const production = { ...alert(1), labels: { severity: 'warning', namespace: 'production' } };
  const staging = 'jobs_failed{job="travel-operations",namespace="staging"}';
  const own = 'jobs_failed{job="travel-operations",namespace="production"}';
  const foreign = 'jobs_failed{job="another"}';
  expectAlerts('JobsFailed', { [staging]: '5x200', [own]: '0x89 1x99', [foreign]: '0x89 7x99' }, { 95: [production] });
});
