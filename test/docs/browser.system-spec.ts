import { expect, it } from '@jest/globals';
import { join } from 'node:path';
import { findChromium } from '../../scripts/browser/chromium.js';
import { freePort } from '../../scripts/ports.js';
import { Machine } from '../identity/machine.js';
import { PROJECT, runScript } from '../launcher/folders.js';
import { eventually } from '../launcher/wait.js';
import { closeAfterTests } from '../setup/running.js';

/** The start loads the demo data; the browser makes a dozen requests. */
const WITHIN_MS = 300_000;

it(
  'npm run browser finds Swagger UI folded, logs in with its form, tries operations with both kinds of token and reads one in Scalar, without an error, also a second time',
  async () => {
    if (findChromium() === null) {
      process.stdout.write('not run: chromium\n');
      return;
    }
    const machine = await Machine.set();
    const PORT = String(await freePort());
    const settings = { DATABASE_URL: machine.databaseUrl, DATA_DIR: machine.folder, EMBEDDER: 'none', PORT };
    const service = runScript(PROJECT, [join(PROJECT, 'dist/src/main.js')], { ...settings, LOG_LEVEL: 'silent' });
    closeAfterTests(async () => {
      service.child.kill('SIGTERM');
      await service.end();
    });
    await eventually(() => (service.output().includes('Ready.') ? true : null), service.output, 120);

    for (const time of ['first', 'second']) {
      const browser = runScript(PROJECT, [join(PROJECT, 'scripts/browser.js')], { DATA_DIR: machine.folder });
      expect([time, await browser.end(), browser.output()]).toEqual([time, 0, browser.output()]);
      expect(browser.standardOutput().trim().split('\n')).toEqual([
        'ok   THE PAGE folds its groups 200',
        'ok   THE PAGE asks for each kind of credential 200',
        'ok   THE PAGE folds error responses 200',
        'ok   THE PAGE executes no streams 200',
        'ok   THE PAGE logs in staff 200',
        'ok   GET /v1/admin/distribution/channels 200',
        'ok   GET /v1/admin/distribution/channels/{id} 200',
        'ok   GET /v1/admin/finance/supplier-invoices 200',
        'ok   GET /v1/public/legal/contracts/{id} 200',
        'ok   POST /v1/admin/notifications/reminder-rules/{id}/simulations 200',
        'ok   POST /vault/v1/{vaultSlug}/encrypt 200',
        'ok   GET /data/geo/v1/reference/languages 200',
        'ok   SCALAR /v1/admin/bookings 200',
        'ok   THE PAGE keeps no token 200',
      ]);
    }
  },
  WITHIN_MS,
);
