import { describe, expect, it } from '@jest/globals';
import { issue, issuesOf } from '../../../../test/setup/issues.js';
import { RequestRendition } from './rendition.dto.js';

describe('a request for a rendition', () => {
  it.each([
    [{}, 'format'],
    [{ format: 'docx' }, 'format'],
    [{ format: 'pdf', language: 'tlh' }, 'language'],
  ])('a request for a rendition rejects %j at %s', async (body, path) => {
    expect(await issuesOf(RequestRendition, body)).toEqual([issue(path, 'isIn')]);
  });
});
