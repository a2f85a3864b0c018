import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { configurationPage, environmentExample } from './configuration-page.js';

it('docs/configuration.md and .env.example document every setting as npm run docs writes them', () => {
  expect(readFileSync('docs/configuration.md', 'utf8')).toBe(configurationPage());
  expect(readFileSync('.env.example', 'utf8')).toBe(environmentExample());
});
