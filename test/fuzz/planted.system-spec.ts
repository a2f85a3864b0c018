import { afterEach, describe, expect, it } from '@jest/globals';
import { fuzz } from './fuzzer.js';
import { type Answer, type Plant, PlantedService, errorAnswer, REPLAYED, rowOf, tokens } from './planted-service.js';

let service: PlantedService | null = null;
afterEach(async () => {
  await service?.close();
  service = null;
});

async function findings(plant: Plant): Promise<string> {
  service = new PlantedService(plant);
  const report = await fuzz({ url: await service.listen(), tokens, seed: '7', from: 0, to: 120 });
  return report.findings.flatMap(({ faults }) => faults).join('\n');
}

const withStatus =
  (status: number, change: (answer: Answer) => Answer | null): Plant =>
  (answer) =>
    answer.status === status ? change(answer) : answer;
/** Changes the response to a request with a known key. */
const replayed =
  (change: Plant): Plant =>
  (answer, parsed) =>
    answer.headers[REPLAYED] === undefined ? answer : change(answer, parsed);
const created = (): Answer => ({ status: 201, body: rowOf('row_x', 'x'), headers: {} });
const saying = (error: string) => (answer: Answer) => ({ ...answer, body: { ...answer.body, error } });

describe('the fuzzer finds', () => {
  const cases: [fault: string, plant: Plant, found: RegExp][] = [
    ['a failure', withStatus(400, (answer) => ({ ...answer, status: 500 })), /the service failed with 500/],
    ['an undocumented status', withStatus(201, (answer) => ({ ...answer, status: 202 })), /status is not documented/],
    ['an undocumented member', withStatus(201, (answer) => ({ ...answer, body: { ...answer.body, x: 1 } })), /"x"/],
    ['a lost connection', withStatus(400, () => null), /the connection was lost/],
    [
      'the id of another request',
      (answer) => ({ ...answer, headers: { ...answer.headers, 'X-Request-Id': 'another-id' } }),
      /X-Request-Id is another-id/,
    ],
    [
      'a 401 without a challenge',
      withStatus(401, (answer) => ({ ...answer, headers: {} })),
      /without www-authenticate/,
    ],
    ['a stack in an error', withStatus(400, saying('at f (/srv/dist/a.js:1:2)')), /tells of the inside/],
    ['a credential in an answer', withStatus(400, saying(tokens.staff)), /holds the staff credential/],
    [
      'an echo of what was sent',
      (answer, { sent }) => (answer.status === 400 ? saying(sent)(answer) : answer),
      /echoes what was sent/,
    ],
    ['a value beyond its bounds that is accepted', withStatus(400, created), /201, but it must be rejected/],
    [
      'a text that is not read back as it was sent',
      withStatus(200, (answer) => ({ ...answer, body: rowOf('row_0', '\ufffd') })),
      /name: sent .*, read/,
    ],
    ['a key that is executed twice', replayed(created), /without Idempotent-Replayed/],
    [
      'a replay with another body',
      replayed((answer) => ({ ...answer, body: created().body })),
      /replayed was .*"row_x".*, answered first/,
    ],
    [
      'a replay with another status',
      replayed((_, { request }) => errorAnswer(request, 409)),
      /answered 201 first and 409 again/,
    ],
    [
      'another request that is accepted with a used key',
      withStatus(422, created),
      /another request with the same key: 201/,
    ],
    [
      'a valid credential that is rejected',
      (answer, { request }) => (answer.status === 201 ? errorAnswer(request, 401) : answer),
      /a good credential is refused/,
    ],
  ];

  it.each(cases)('the fuzzer finds %s', async (_, plant, found) => {
    expect(await findings(plant)).toMatch(found);
  });

  it('the fuzzer finds nothing without a planted fault, except what Node answers itself', async () => {
    const found = (await findings((answer) => answer)).split('\n');
    expect(found.filter((fault) => !/^4(00|31) without its body|^no X-Content-Type-Options/.test(fault))).toEqual([]);
  });

  it('the fuzzer sends identical requests with the same seed, byte for byte', async () => {
    const runs: string[][] = [];
    for (let run = 0; run < 2; run += 1) {
      const again = new PlantedService((answer) => answer);
      await fuzz({ url: await again.listen(), tokens, seed: '3', from: 0, to: 60 });
      await again.close();
      runs.push(again.requests.map((line) => line.replace(/row_\d+/g, 'row_n')).sort());
    }
    expect(runs[0]).toEqual(runs[1]);
    expect(runs[0]?.length).toBeGreaterThan(60);
  });
});
