import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../launcher/folders.js';
import { settingsFaults, unknownSettings } from '../setup/settings.js';
import { containerCommand } from './dockerfile.js';

const UNITS = 'deploy/systemd';
const PAGE = readFileSync(join(PROJECT, 'docs/operations/systemd.md'), 'utf8');

/** The command of each unit; without words the container of the image starts the service. */
const COMMANDS: [unit: string, words: string[] | undefined][] = [
  ['travel.service', undefined],
  ['travel-backup.service', ['backup']],
  ['travel-migration.service', ['migrate']],
];
const SERVICES = COMMANDS.map(([unit]) => unit);

const read = (unit: string) => readFileSync(join(PROJECT, UNITS, unit), 'utf8');
const valuesOf = (unit: string, key: string) =>
  [...read(unit).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

function variablesOf(unit: string): Record<string, string> {
  const words = valuesOf(unit, 'Environment').flatMap((line) => line.split(' '));
  return Object.fromEntries(words.map((word) => word.split('=', 2) as [string, string]));
}

/** The lines after the empty line of [Service], which restrict the process. */
function sandboxOf(unit: string): string[] {
  const [, lines = ''] = /^UMask=.*\n\n([^[]*)/m.exec(read(unit)) ?? [];
  return lines.split('\n').filter((line) => line !== '');
}

describe('the systemd units', () => {
  it('these tests know every service unit', () => {
    const files = readdirSync(join(PROJECT, UNITS)).filter((file) => file.endsWith('.service'));
    expect(files.sort()).toEqual([...SERVICES].sort());
  });

  it.each(COMMANDS)('%s starts a program of the production tree with variables that it knows', (unit, words) => {
    const variables = variablesOf(unit);
    expect(unknownSettings(variables)).toEqual([]);
    const [, ...command] = valuesOf(unit, 'ExecStart')[0]?.split(' ') ?? [];
    expect(command).toEqual(containerCommand(words).slice(1));
    expect(variables['DATA_DIR']).toBe(`/var/lib/${valuesOf(unit, 'StateDirectory')[0]}`);
  });

  it.each(SERVICES)(
    '%s runs as the unprivileged user of the service, and other users cannot read its files',
    (unit) => {
      const keys = ['User', 'Group', 'UMask', 'StateDirectoryMode'];
      expect(keys.map((key) => valuesOf(unit, key))).toEqual([['travel'], ['travel'], ['0077'], ['0700']]);
      expect(PAGE).toContain('useradd --system --home-dir /var/lib/travel travel\n');
    },
  );

  it.each(SERVICES)('%s has the sandbox of the migration', (unit) => {
    const sandbox = sandboxOf('travel-migration.service');
    expect(sandbox).toEqual(expect.arrayContaining(['NoNewPrivileges=true', 'ProtectSystem=strict']));
    expect(sandboxOf(unit)).toEqual(expect.arrayContaining(sandbox));
  });

  it('the migration runs before the service and alone has the password of the owner', () => {
    expect(valuesOf('travel.service', 'Wants')[0]?.split(' ')).toContain('travel-migration.service');
    expect(valuesOf('travel.service', 'After')[0]?.split(' ')).toContain('travel-migration.service');
    expect(valuesOf('travel.service', 'EnvironmentFile')).toEqual(['/etc/travel/service.env']);
    expect(valuesOf('travel-migration.service', 'EnvironmentFile')).toEqual([
      '/etc/travel/service.env',
      '/etc/travel/migration.env',
    ]);
  });

  it('the backup has the settings of the service and an address of its own, and writes only to two folders', () => {
    const unit = 'travel-backup.service';
    expect(valuesOf(unit, 'Type')).toEqual(['oneshot']);
    expect(valuesOf(unit, 'EnvironmentFile')).toEqual(['/etc/travel/service.env', '/etc/travel/backup.env']);
    expect(valuesOf(unit, 'StateDirectory')).toEqual(['travel']);
    const { BACKUP_DIR = '', DATA_DIR = '' } = variablesOf(unit);
    expect(valuesOf(unit, 'ReadWritePaths')).toEqual([BACKUP_DIR]);
    expect(BACKUP_DIR.startsWith(DATA_DIR)).toBe(false);
    // systemd does not start the unit without the folder.
    expect(PAGE).toContain(`install -d -o travel -g travel -m 700 ${BACKUP_DIR}\n`);
  });

  it('the timer starts the backup every day, also after the machine was off', () => {
    const unit = 'travel-backup.timer';
    // Without Unit=, a timer starts the service unit with its name.
    expect(read(unit)).not.toMatch(/^Unit=/m);
    const keys = ['OnCalendar', 'Persistent', 'WantedBy'];
    expect(keys.map((key) => valuesOf(unit, key))).toEqual([['daily'], ['true'], ['timers.target']]);
    expect(PAGE).toContain(`systemctl enable --now ${unit}\n`);
  });

  it('systemd waits for the longest stop that the settings permit before it kills the service', () => {
    const longestDrain = 60;
    expect(settingsFaults({ DRAIN_SECONDS: String(longestDrain + 1) }).join()).toContain('DRAIN_SECONDS');
    const [stopSeconds] = valuesOf('travel.service', 'TimeoutStopSec');
    expect(Number(stopSeconds)).toBeGreaterThanOrEqual(longestDrain + 25);
  });
});
