import { describe, expect, it } from '@jest/globals';
import { issue, issuesOf } from '../../../../test/setup/issues.js';
import { CreateAllotment, UpdateAllotment } from './allotment.dto.js';

const ALLOTMENT = {
  channelId: 'chan_01k0dem000e000000000000002',
  productId: 'delta-tour',
  validFrom: '2031-05-01',
  defaultQuantity: 4,
};

describe('a new allotment', () => {
  it('a new allotment has no issue with its required members alone', async () => {
    expect(await issuesOf(CreateAllotment, ALLOTMENT)).toEqual([]);
  });

  it.each([
    ['release.steps', { release: { mode: 'automatic', steps: [] } }],
    ['release.steps', { release: { mode: 'automatic', steps: Array(4).fill({ daysBefore: 1 }) } }],
    ['release.steps.0.daysBefore', { release: { mode: 'automatic', steps: [{ daysBefore: -1 }] } }],
    ['release.steps.0.keepQuantity', { release: { mode: 'automatic', steps: [{ daysBefore: 1, keepQuantity: -1 }] } }],
    ['release.mode', { release: { mode: 'sometimes', steps: [{ daysBefore: 1 }] } }],
    ['release.unsoldAction', { release: { mode: 'manual', steps: [{ daysBefore: 1 }], unsoldAction: 'burn' } }],
    ['defaultQuantity', { defaultQuantity: -1 }],
    ['type', { type: 'exclusive' }],
    ['productId', { productId: 'a b' }],
    ['active', { active: null }],
    ['sold', { sold: 1 }],
  ])('a new allotment is rejected at %s with %j', async (path, terms) => {
    expect(await issuesOf(CreateAllotment, { ...ALLOTMENT, ...terms })).toMatchObject([{ path }]);
  });
});

describe('a change of an allotment', () => {
  it.each(['channelId', 'productId', 'type', 'validFrom'])(
    'a change of an allotment rejects %s, which is immutable',
    async (field) => {
      expect(await issuesOf(UpdateAllotment, { [field]: '2031-01-01' })).toEqual([issue(field, 'unknown_member')]);
    },
  );
});
