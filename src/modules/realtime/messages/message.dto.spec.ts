import { describe, expect, it } from '@jest/globals';
import { invalidMembers } from '../../../../test/setup/issues.js';
import { PublishMessage } from './message.dto.js';

describe('a message to publish', () => {
  it.each([
    ['a missing event', {}, 'event'],
    ['an empty event', { event: '' }, 'event'],
    ['an event with a space', { event: 'a b' }, 'event'],
    ['an event with white space around it', { event: ' a ' }, 'event'],
    ['an event of 201 characters', { event: 'e'.repeat(201) }, 'event'],
    ['an event that is not a text', { event: 1 }, 'event'],
    ['a null event', { event: null }, 'event'],
    ['an unknown member', { event: 'e', id: 'mine' }, 'id'],
    ['data of more than 64 KiB', { event: 'e', data: 'x'.repeat(65_535) }, 'data'],
    ['data of more than 64 KiB in UTF-8', { event: 'e', data: 'é'.repeat(32_768) }, 'data'],
    ['a body that is a list', [], ''],
  ])('a message to publish is rejected with %s', async (_, body, path) => {
    expect(await invalidMembers(PublishMessage, body)).toEqual([path]);
  });
});
