import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Setting } from './settings.js';
import { settings } from './table.js';

const [readme, example] = ['README.md', '.env.example'].map((file) => readFileSync(file, 'utf8'));
const all: Setting<unknown>[] = Object.values(settings);

it.each(all.map((setting) => [setting.name, setting] as const))(
  '%s is explained as the code reads it',
  (name, setting) => {
    const fallback =
      setting.fallback === undefined ? 'required' : setting.fallback === '' ? '' : `\`${setting.fallback}\``;
    expect(readme).toContain(`| \`${name}\` | ${setting.purpose} | ${setting.expected} | ${fallback} |`);
    expect(example).toContain(`# ${setting.purpose.replaceAll('`', '')}; expected: ${setting.expected}\n#${name}=`);
  },
);
