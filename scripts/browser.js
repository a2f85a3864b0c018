#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/*
 * npm run browser -- [url]: opens Swagger UI of a running service in a real Chromium, authorizes with the printed staff
 * token and presses "Try it out" and "Execute" on a few operations, as a developer would. Needs a Chromium of the
 * machine's (CHROMIUM_PATH, or one of the usual places) and DATA_DIR/credentials.json.
 */
const PLACES = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const OPERATIONS = [
  { path: '/v1/admin/distribution/channels', method: 'get', as: 'staff' },
  { path: '/v1/admin/distribution/channels/{id}', method: 'get', as: 'staff' },
  { path: '/v1/admin/finance/supplier-invoices', method: 'get', as: 'staff' },
  { path: '/v1/public/legal/contracts/{id}', method: 'get', as: 'staff' },
  { path: '/vault/v1/{vaultSlug}/encrypt', method: 'post', as: 'platform' },
  { path: '/data/geo/v1/reference/languages', method: 'get', as: 'platform' },
];

const executablePath = PLACES.find((place) => place && existsSync(place));
if (!executablePath) {
  process.stderr.write('No Chromium found. Install one (Debian: apt-get install chromium) or set CHROMIUM_PATH.\n');
  process.exit(69);
}
const credentials = JSON.parse(readFileSync(join(process.env.DATA_DIR ?? '.data', 'credentials.json'), 'utf8'));
const tokens = { staff: credentials.staff.token, platform: credentials.platformKey };
const url = process.argv[2] ?? credentials.baseUrl;

const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'];
const browser = await chromium.launch({ executablePath, args });
let failed = 0;
try {
  const page = await browser.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(`${url}/docs`, { waitUntil: 'networkidle' });
  for (const [kind, token] of Object.entries(tokens)) {
    await authorize(page, token);
    for (const operation of OPERATIONS.filter(({ as }) => as === kind))
      report(operation, await tryOut(page, operation));
  }
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT, fullPage: true });
  for (const complaint of complaints) report({ method: 'the page', path: 'has no errors' }, complaint);
} finally {
  await browser.close();
}
process.exitCode = failed === 0 ? 0 : 1;

async function authorize(page, token) {
  await page.click('.auth-wrapper .authorize');
  const dialog = page.locator('.dialog-ux');
  const logout = dialog.getByRole('button', { name: /logout|remove/i });
  if (await logout.count()) await logout.first().click();
  await dialog.locator('input').fill(token);
  await dialog.getByRole('button', { name: /apply credentials|^authorize$/i }).click();
  await dialog.getByRole('button', { name: /^close$/i }).click();
}

/** Opens the operation, sends its example and returns the status that the page shows. */
async function tryOut(page, { path, method }) {
  const block = page.locator(`.opblock-${method}`).filter({ has: page.locator(`[data-path="${path}"]`) });
  await block.locator('.opblock-summary-control').first().click();
  await block.getByRole('button', { name: /try it out/i }).click();
  await block.getByRole('button', { name: /^execute$/i }).click();
  const status = block.locator('.live-responses-table .response-col_status').last();
  await status.waitFor({ timeout: 10_000 });
  const shown = (await status.innerText()).trim();
  await block.locator('.opblock-summary-control').first().click();
  return shown.split(/\s/)[0];
}

function report({ method, path }, status) {
  const ok = /^2\d\d$/.test(status);
  if (!ok) failed += 1;
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${method.toUpperCase()} ${path} ${status}\n`);
}
