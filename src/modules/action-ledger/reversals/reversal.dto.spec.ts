import { describe, expect, it } from '@jest/globals';
import { invalidMembers } from '../../../../test/setup/issues.js';
import { ReverseEntry } from './reversal.dto.js';

describe('a reversal', () => {
  const REASON = 'Wrong price list';

  it.each([
    [{}, 'reason'],
    [{ reason: '  ' }, 'reason'],
    [{ reason: null }, 'reason'],
    [{ reason: 'x'.repeat(2001) }, 'reason'],
    [{ reason: REASON, recordOnly: null }, 'recordOnly'],
    [{ reason: REASON, recordOnly: 'true' }, 'recordOnly'],
    [{ reason: REASON, actorId: 'user_x' }, 'actorId'],
    [{ reason: REASON, subjectId: 'chan_x' }, 'subjectId'],
  ])('the body %j of a reversal is rejected', async (body, path) => {
    expect(await invalidMembers(ReverseEntry, body)).toEqual([path]);
  });
});
