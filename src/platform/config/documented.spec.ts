import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { configurationPage, environmentExample } from './configuration-page.js';

it('docs/configuration.md and .env.example show every setting as the code reads it (npm run docs writes both)', () => {
  expect(readFileSync('docs/configuration.md', 'utf8')).toBe(configurationPage());
  expect(readFileSync('.env.example', 'utf8')).toBe(environmentExample());
});
