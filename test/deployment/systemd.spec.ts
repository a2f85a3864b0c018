import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT } from '../launcher/folders.js';
import { settingsFaults } from '../setup/settings.js';

it('systemd waits for the longest stop that the settings permit before it kills the service', () => {
  const longestDrain = 60;
  expect(settingsFaults({ DRAIN_SECONDS: String(longestDrain + 1) }).join()).toContain('DRAIN_SECONDS');
  const unit = readFileSync(join(PROJECT, 'deploy/systemd/travel.service'), 'utf8');
  const [, stopSeconds = ''] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
  expect(Number(stopSeconds)).toBeGreaterThanOrEqual(longestDrain + 25);
});
