/** @jest-environment-options {"application":"shared"} */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ErrorBody, errorBody } from '../distribution/channels.js';
import { startApp, type TestApp } from '../setup/app.js';
import { FACILITIES, newFacility, readFacility } from './facilities.js';

const CYCLE = { code: 'facility_cycle', error: 'A facility cannot contain itself' };

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

const move = (id: string, parentFacilityId: string | null) =>
  app.as('owner').patch<ErrorBody>(`${FACILITIES}/${id}`, { parentFacilityId });

const three = async () => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.push((await newFacility(app)).id);
  return ids as [string, string, string];
};

/** Follows the parents up, and stops at a cycle. */
async function depthOf(id: string): Promise<number> {
  let depth = 0;
  let above = (await readFacility(app, id)).parentFacilityId;
  while (above !== null && depth < 10) {
    depth += 1;
    above = (await readFacility(app, above)).parentFacilityId;
  }
  return depth;
}

describe('a facility', () => {
  it('a facility is not its own parent: 409', async () => {
    const { id } = await newFacility(app);

    const answer = await move(id, id);

    expect([answer.status, answer.body]).toEqual([409, errorBody(answer, CYCLE)]);
    expect((await readFacility(app, id)).parentFacilityId).toBeNull();
  });

  it('a facility does not become a child of its grandchild: 409', async () => {
    const [top, middle, bottom] = await three();
    await move(middle, top);
    await move(bottom, middle);

    const answer = await move(top, bottom);

    expect([answer.status, answer.body]).toEqual([409, errorBody(answer, CYCLE)]);
    expect([await depthOf(top), await depthOf(middle), await depthOf(bottom)]).toEqual([0, 1, 2]);
  });

  it('a facility can be moved to another parent, and to none', async () => {
    const [top, middle, bottom] = await three();
    await move(middle, top);
    await move(bottom, middle);

    expect((await move(bottom, top)).status).toBe(200);
    expect((await move(middle, bottom)).status).toBe(200);
    expect((await move(bottom, null)).status).toBe(200);
    expect([await depthOf(top), await depthOf(middle), await depthOf(bottom)]).toEqual([0, 1, 0]);
  });

  it('three concurrent moves of facilities that would together make a cycle do not make one', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [first, second, third] = await three();

      const answers = await Promise.all([move(first, second), move(second, third), move(third, first)]);

      const rejected = answers.filter(({ status }) => status !== 200);
      expect(rejected).toHaveLength(1);
      for (const answer of rejected) expect([answer.status, answer.body]).toEqual([409, errorBody(answer, CYCLE)]);
      expect(Math.max(await depthOf(first), await depthOf(second), await depthOf(third))).toBe(2);
    }
  });

  it('a facility cannot be put into a cycle by SQL: the database rejects it', async () => {
    const [first, second] = await three();
    await move(first, second);

    const written = app.sql('update facilities set parent_facility_id = $1 where id = $2', [first, second]);

    await expect(written).rejects.toMatchObject({ constraint: 'facilities_no_cycle' });
  });
});
