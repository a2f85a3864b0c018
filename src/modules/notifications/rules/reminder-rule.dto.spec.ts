import { describe, expect, it } from '@jest/globals';
import { invalidMembers, issue, issuesOf } from '../../../../test/setup/issues.js';
import { ComposeReminderRule, ListReminderRules, UpdateReminderRule } from './reminder-rule.dto.js';

const STAGE = { channels: [{ channel: 'email' }] };
const RULE = { name: 'Balance', trigger: 'balance_due', stages: [{ offsetDays: -7, ...STAGE }] };
const DEEP = { a: { b: { c: { d: { e: { f: 1 } } } } } };

describe('a new reminder rule', () => {
  it('a new reminder rule has no issue with its required members alone', async () => {
    expect(await issuesOf(ComposeReminderRule, RULE)).toEqual([]);
  });

  it('a stage may carry the ids that a response gave it', async () => {
    const stage = { id: 'rstg_01k0dem000e000000000000001', ruleId: 'rrul_01k0dem000e000000000000001', ...STAGE };
    expect(await issuesOf(ComposeReminderRule, { ...RULE, stages: [stage] })).toEqual([]);
  });

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['an unknown trigger', { trigger: 'birthday' }, 'trigger'],
    ['no stages', { stages: [] }, 'stages'],
    ['51 stages', { stages: Array.from({ length: 51 }, () => STAGE) }, 'stages'],
    ['an offset beyond ten years', { stages: [STAGE, { ...STAGE, offsetDays: 3651 }] }, 'stages.1.offsetDays'],
    ['half a day', { stages: [{ ...STAGE, offsetDays: 0.5 }] }, 'stages.0.offsetDays'],
    ['a negative position', { stages: [{ ...STAGE, position: -1 }] }, 'stages.0.position'],
    ['no channels', { stages: [{ channels: [] }] }, 'stages.0.channels'],
    ['11 channels', { stages: [{ channels: Array.from({ length: 11 }, () => ({})) }] }, 'stages.0.channels'],
    ['an invalid last channel', { stages: [STAGE, { channels: [{}, {}, 'email'] }] }, 'stages.1.channels.2'],
    ['a channel that is a list', { stages: [{ channels: [[]] }] }, 'stages.0.channels.0'],
    ['channels that are not a list', { stages: [{ channels: { channel: 'email' } }] }, 'stages.0.channels'],
    ['a channel that is too deep', { stages: [{ channels: [{}, DEEP] }] }, 'stages.0.channels.1'],
    ['a channel that is too large', { stages: [{ channels: [{ text: 'x'.repeat(4096) }] }] }, 'stages.0.channels.0'],
    ['the time 24:00', { sendTime: '24:00' }, 'sendTime'],
    ['a priority of 1001', { priority: 1001 }, 'priority'],
    ['31 days late', { stages: [{ ...STAGE, sendIfLateByHours: 721 }] }, 'stages.0.sendIfLateByHours'],
    ['an unknown member', { color: 'red' }, 'color'],
    ['null for enabled', { enabled: null }, 'enabled'],
  ])('a new reminder rule is rejected with %s', async (_, terms, path) => {
    expect(await invalidMembers(ComposeReminderRule, { ...RULE, ...terms })).toEqual([path]);
  });
});

it('a change of a reminder rule requires a member, and cannot change the trigger', async () => {
  expect(await issuesOf(UpdateReminderRule, {})).toEqual([issue('', 'empty')]);
  expect(await invalidMembers(UpdateReminderRule, { trigger: 'invoice_due' })).toEqual(['trigger']);
});

it('a query for reminder rules rejects an unknown trigger', async () => {
  expect(await invalidMembers(ListReminderRules, 'trigger=birthday')).toEqual(['trigger']);
});
