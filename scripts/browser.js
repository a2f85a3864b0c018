#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { findChromium } from './browser/chromium.js';

/*
 * npm run browser -- [url]: opens Swagger UI of a running service in Chromium, checks what it folds and its Authorize dialog, logs
 * in with its form, authorizes with the credentials of DATA_DIR/credentials.json, and executes a few operations by "Try it out";
 * then reads an operation in Scalar. Needs an installed Chromium (CHROMIUM_PATH, or one of the usual paths).
 */

/** Rendering the operations of a tag can take many seconds on a busy machine. */
const STEP_WITHIN_MS = 60_000;

/** The Authorize dialog has an input for each security scheme. */
const SESSIONS = [
  {
    scheme: 'staffToken',
    tokenIn: ({ staff }) => staff.token,
    operations: [
      { path: '/v1/admin/distribution/channels', method: 'get' },
      { path: '/v1/admin/distribution/channels/{id}', method: 'get' },
      { path: '/v1/admin/finance/supplier-invoices', method: 'get' },
      { path: '/v1/public/legal/contracts/{id}', method: 'get', id: ({ demo }) => demo.contractId },
      // The operation changes nothing, so the command can be repeated.
      { path: '/v1/admin/notifications/reminder-rules/{id}/simulations', method: 'post', search: 'simulations' },
    ],
  },
  {
    scheme: 'platformKey',
    tokenIn: ({ platformKey }) => platformKey,
    operations: [
      { path: '/vault/v1/{vaultSlug}/encrypt', method: 'post' },
      { path: '/data/geo/v1/reference/languages', method: 'get' },
    ],
  },
];

const executablePath = findChromium();
if (!executablePath) {
  process.stderr.write('No Chromium found. Install one (Debian: apt-get install chromium) or set CHROMIUM_PATH.\n');
  process.exit(69);
}
const credentials = JSON.parse(readFileSync(join(process.env.DATA_DIR ?? '.data', 'credentials.json'), 'utf8'));
const url = process.argv[2] ?? credentials.baseUrl;

const { paths, components } = await (await fetch(`${url}/openapi.json`)).json();

const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync'];
const browser = await chromium.launch({ executablePath, args });
let failed = 0;
try {
  const page = await browser.newPage();
  page.setDefaultTimeout(STEP_WITHIN_MS);
  const errors = [];
  let kept = false;
  page.on('pageerror', (error) => errors.push(error.message));
  // A violation of the page's policy is also such a message.
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('request', (request) => isForeign(request.url()) && errors.push(`request to ${request.url()}`));
  await page.goto(`${url}/docs`, { waitUntil: 'networkidle' });
  report({ method: 'the page', path: 'folds its groups' }, await foldsGroups(page));
  report({ method: 'the page', path: 'asks for each kind of credential' }, await asksForCredentials(page));
  report({ method: 'the page', path: 'folds error responses' }, await foldsErrors(page, SESSIONS[0].operations[0]));
  report({ method: 'the page', path: 'executes no streams' }, await executesNoStreams(page));
  if ((await page.locator('#log-in').count()) > 0) {
    report({ method: 'the page', path: 'logs in staff' }, await logInByForm(page));
  }
  for (const { scheme, tokenIn, operations } of SESSIONS) {
    await authorize(page, scheme, tokenIn(credentials));
    for (const operation of operations) report(operation, await tryOut(page, operation));
    kept ||= await keepsToken(page, tokenIn(credentials));
    await logOut(page, scheme);
  }
  await readInScalar(page, { path: '/v1/admin/bookings', method: 'post' });
  if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT, fullPage: true });
  report({ method: 'the page', path: 'keeps no token' }, kept ? 'in the storage of the browser' : '200');
  for (const error of errors) report({ method: 'the page', path: 'has no errors' }, error);
} finally {
  await browser.close();
}
process.exitCode = failed === 0 ? 0 : 1;

/** Returns whether a page of the service loads it from another host. */
function isForeign(address) {
  return /^(http|ws)s?:/.test(address) && new URL(address).host !== new URL(url).host;
}

/** Opens an operation in Scalar, and waits for its title and for the example of its request. */
async function readInScalar(page, { path, method }) {
  const { summary, tags } = paths[path][method];
  await page.goto(`${url}/reference#tag/${tags[0].toLowerCase()}/${method.toUpperCase()}${path}`);
  await page.getByRole('heading', { name: summary, exact: true }).waitFor();
  await page
    .locator('code')
    .filter({ hasText: `${url}${path}` })
    .first()
    .waitFor();
  report({ method: 'Scalar', path }, '200');
}

/** Every group of the document is on the page, and none shows its operations. */
async function foldsGroups(page) {
  await page.locator('.opblock-tag').first().waitFor();
  const groups = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)));
  const folded = await page.locator('.opblock-tag[data-is-open="false"]').count();
  const shown = await page.locator('.opblock').filter({ visible: true }).count();
  return folded === groups.size && shown === 0
    ? '200'
    : `${folded} of ${groups.size} folded, ${shown} operations shown`;
}

/** The Authorize dialog has one entry for each security scheme, and the cursor in the first. */
async function asksForCredentials(page) {
  await page.click('.auth-wrapper .authorize');
  const entries = page.locator('.dialog-ux .auth-container');
  await entries.first().waitFor();
  // The title of an entry is its scheme and its type, such as "staffToken  (http, Bearer)".
  const names = (await entries.locator('h4').allInnerTexts()).map((title) => title.trim().split(/\s/)[0]);
  const focused = await entries
    .locator('input')
    .first()
    .evaluate((field) => field === document.activeElement);
  await page.click('.dialog-ux .close-modal');
  const schemes = Object.keys(components.securitySchemes);
  if (names.toSorted().join() !== schemes.toSorted().join()) return `for ${names.join(', ')}`;
  return focused ? '200' : 'without the cursor in the first field';
}

/** An operation shows its successful responses, and the errors after a click. */
async function foldsErrors(page, { path, method }) {
  const [tag] = paths[path][method].tags;
  await page.fill('.operation-filter-input', tag);
  const block = page.locator(`.opblock-${method}`).filter({ has: page.locator(`[data-path="${path}"]`) });
  await openGroup(page, tag, block);
  await block.locator('.opblock-summary-control').first().click();
  const statuses = async () => block.locator('.responses-table .response-col_status').allInnerTexts();
  const errors = (shown) => shown.filter((status) => /^[45]/.test(status.trim())).length;
  const toggle = block.locator('.fold-errors');
  await toggle.waitFor();
  const folded = errors(await statuses());
  await toggle.click();
  const unfolded = errors(await statuses());
  await block.locator('.opblock-summary-control').first().click();
  return folded === 0 && unfolded > 0 ? '200' : `${folded} errors folded, ${unfolded} unfolded`;
}

/** An operation can be tried, but not one that responds with a stream. */
async function executesNoStreams(page) {
  const stream = '/realtime/v1/channels/{channel}/events';
  const offers = [];
  for (const path of [stream, '/realtime/v1/channels/{channel}/messages']) {
    const [tag] = paths[path].get.tags;
    await page.fill('.operation-filter-input', tag);
    const block = page.locator('.opblock-get').filter({ has: page.locator(`[data-path="${path}"]`) });
    await openGroup(page, tag, block);
    await block.locator('.opblock-summary-control').first().click();
    await block.locator('.responses-table').first().waitFor();
    offers.push(await block.locator('.try-out__btn').count());
    await block.locator('.opblock-summary-control').first().click();
  }
  return offers.join() === '0,1' ? '200' : `offers of a stream and a page: ${offers.join()}`;
}

/** The form of a service in development fills in the staff token, with which an operation can be tried. */
async function logInByForm(page) {
  const { email, password } = credentials.staff;
  await page.fill('#log-in input[name="email"]', email);
  await page.fill('#log-in input[name="password"]', password);
  await page.click('#log-in button');
  await page.locator('#log-in output', { hasText: `Logged in as ${email}` }).waitFor();
  const status = await tryOut(page, { path: '/v1/admin/identity/me', method: 'get' });
  await logOut(page, 'staffToken');
  return status;
}

async function authorize(page, scheme, token) {
  const section = await authorizeSection(page, scheme);
  await section.locator('input').fill(token);
  await section.getByRole('button', { name: /apply credentials|^authorize$/i }).click();
  await page.click('.dialog-ux .close-modal');
}

/** Returns whether the browser would keep the token after it was closed, or in another tab. */
async function keepsToken(page, token) {
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  return (stored + JSON.stringify(await page.context().cookies())).includes(token);
}

async function logOut(page, scheme) {
  const section = await authorizeSection(page, scheme);
  await section.getByRole('button', { name: /logout|remove/i }).click();
  await page.click('.dialog-ux .close-modal');
}

/** Opens the Authorize dialog and returns its section for one security scheme. */
async function authorizeSection(page, scheme) {
  await page.click('.auth-wrapper .authorize');
  const heading = page.locator('h4 code', { hasText: new RegExp(`^${scheme}$`) });
  return page.locator('.dialog-ux .auth-container').filter({ has: heading });
}

/** Opens the group of the operation. The filter redraws the groups shortly after its input, which can fold them again. */
async function openGroup(page, name, block) {
  const group = page.locator(`.opblock-tag[data-tag="${name}"]`);
  const until = performance.now() + STEP_WITHIN_MS;
  while (performance.now() < until) {
    if ((await group.getAttribute('data-is-open')) !== 'true') await group.click();
    const isShown = await block.waitFor({ timeout: 1000 }).then(
      () => true,
      () => false,
    );
    if (isShown) return;
  }
  throw new Error(`The group '${name}' did not open`);
}

/**
 * Finds the operation with the filter, by its tag unless `search` is given, opens it, sends its example (with another `id`,
 * if one is given) and returns the status on the page.
 */
async function tryOut(page, { path, method, id, search = paths[path][method].tags[0] }) {
  await page.fill('.operation-filter-input', search);
  const block = page.locator(`.opblock-${method}`).filter({ has: page.locator(`[data-path="${path}"]`) });
  await openGroup(page, paths[path][method].tags[0], block);
  await block.locator('.opblock-summary-control').first().click();
  await block.getByRole('button', { name: /try it out/i }).click();
  if (id) await block.locator('tr[data-param-name="id"] input').fill(id(credentials));
  await block.getByRole('button', { name: /^execute$/i }).click();
  const status = block.locator('.live-responses-table .response-col_status').last();
  await status.waitFor();
  const shown = (await status.innerText()).trim();
  await block.locator('.opblock-summary-control').first().click();
  return shown.split(/\s/)[0];
}

function report({ method, path }, status) {
  const ok = /^2\d\d$/.test(status);
  if (!ok) failed += 1;
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${method.toUpperCase()} ${path} ${status}\n`);
}
