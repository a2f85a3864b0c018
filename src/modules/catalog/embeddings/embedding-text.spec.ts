import { describe, expect, it } from '@jest/globals';
import { embeddingText, modelText } from './embedding-text.js';

const GROWS = '\ufdfa';

describe('the text that is passed to a model', () => {
  it('the text that is passed to a model has at most 256 characters after normalization, even if normalization makes it longer', () => {
    expect(GROWS.normalize('NFKC')).toHaveLength(18);
    expect(modelText(GROWS.repeat(2_000)).normalize('NFKC').length).toBeLessThanOrEqual(256);
    const text = embeddingText({ name: GROWS.repeat(100), description: GROWS.repeat(10_000) });
    expect(text.normalize('NFKC').length).toBeLessThanOrEqual(256);
  });

  it('the text that is passed to a model is well-formed, even if the limit falls inside a surrogate pair', () => {
    expect(modelText(`${'a'.repeat(255)}\u{1f6a2}`).isWellFormed()).toBe(true);
  });
});
