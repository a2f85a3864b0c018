import { expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { settingsFaults } from '../../../test/setup/settings.js';
import { configurationPage, environmentExample } from './configuration-page.js';
import { settings } from './table.js';

/** A value of an operator for each core setting. */
const CORE: Record<string, string> = {
  NODE_ENV: 'production',
  BASE_URL: 'https://office.acme.test',
  TRUSTED_PROXIES: '127.0.0.1',
  DATABASE_URL: 'postgres://travel_service:of-the-service@db.acme.test/travel?sslmode=verify-full',
  MIGRATION_DATABASE_URL: 'postgres://travel_owner:of-the-owner@db.acme.test/travel?sslmode=verify-full',
  DATA_DIR: '/var/lib/travel',
  BACKUP_DIR: '/var/backups/travel',
  METRICS: 'true',
  ORG_NAME: 'Acme Tours',
  ORG_TIME_ZONE: 'Europe/London',
  SMTP_URL: 'smtps://office:of-the-office@mail.acme.test:465',
  MAIL_FROM: 'Acme Tours <office@acme.test>',
  VAULT_KEK_PRIMARY: 'a',
  VAULT_KEK_a: randomBytes(32).toString('base64'),
  BOOTSTRAP_ADMIN_EMAIL: 'owner@acme.test',
  BOOTSTRAP_ADMIN_PASSWORD: 'seven horses cross the bridge',
};

it('docs/configuration.md and .env.example document every setting as npm run docs writes them', () => {
  expect(readFileSync('docs/configuration.md', 'utf8')).toBe(configurationPage());
  expect(readFileSync('.env.example', 'utf8')).toBe(environmentExample());
});

it('each setting is marked core or optional on the page, as its declaration says, and at most sixteen rows are core', () => {
  const rows = [...configurationPage().matchAll(/^\| `(\w+(?:<id>)?)` \| ([^|]*) \|/gm)];
  const marks = rows.map(([, name = '', mark = '']) => ({ name, mark }));
  expect(marks.filter(({ mark }) => mark !== 'core' && mark !== 'optional')).toEqual([]);
  const declared = Object.values(settings).map(({ name }) => name);
  expect(marks.map(({ name }) => name).sort()).toEqual([...declared, 'VAULT_KEK_<id>'].sort());
  const core = marks.filter(({ mark }) => mark === 'core').map(({ name }) => name.replace('<id>', 'a'));
  expect(core.sort()).toEqual(Object.keys(CORE).sort());
  expect(core.length).toBeLessThanOrEqual(16);
});

it('production accepts the core settings alone, and each setting that it misses without them is one of them', () => {
  expect(settingsFaults(CORE)).toEqual([]);
  const missing = settingsFaults({ NODE_ENV: 'production' }).map((fault) => fault.split(':', 1)[0] ?? '');
  expect(missing.length).toBeGreaterThan(2);
  expect(missing.filter((name) => !(name.replace('<id>', 'a') in CORE))).toEqual([]);
});
