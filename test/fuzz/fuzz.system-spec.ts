import { describe, expect, it } from '@jest/globals';
import { startApp } from '../setup/app.js';
import { fuzz } from './fuzzer.js';
import { describeFinding } from './report.js';

// About 1,500 requests; `npm run fuzz` sends any number.
const CASES = 1_050;
const SEED = '1';

describe('all operations with valid, boundary and hostile requests', () => {
  it('random requests to all operations get documented responses: no failure, leak, lossy text or lost connection', async () => {
    const app = await startApp({ env: { METRICS: 'true' } });
    const { staff, platformKey, limitedPlatformKey } = app.credentials;
    const tokens = { staff: staff.token, platform: platformKey, limited: limitedPlatformKey };

    const report = await fuzz({ url: app.url, tokens, seed: SEED, from: 0, to: CASES });

    expect(report.findings.map((finding) => describeFinding(finding, { seed: SEED, url: app.url }))).toEqual([]);
    expect(report.unmappedDatabaseErrors).toBe(0);
    expect(report.cases).toBe(CASES);
    // The requests have effects: resources are created and changed, and each kind of error occurs.
    const { 200: done = 0, 201: made = 0, 400: rejected = 0 } = report.statuses;
    expect([done > 200, made > 150, rejected > 300]).toEqual([true, true, true]);
    const met = ['401', '404', '405', '409', '413', '415', '422'];
    expect(Object.keys(report.statuses)).toEqual(expect.arrayContaining(met));
    // Several thousand requests, in sequence.
  }, 300_000);
});
