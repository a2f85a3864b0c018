import { describe, expect, it } from '@jest/globals';
import { issue, issuesOf } from '../../../../test/setup/issues.js';
import { RequestRendition } from './rendition.dto.js';

describe('a request for a rendition', () => {
  it.each([
    [{}, 'format', 'required'],
    [{ format: 'docx' }, 'format', 'unknown_value'],
    [{ format: 'pdf', language: 'tlh' }, 'language', 'unknown_value'],
  ])('a request for a rendition rejects %j at %s', async (body, path, code) => {
    expect(await issuesOf(RequestRendition, body)).toEqual([issue(path, code)]);
  });
});
