import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { bans } from '../../eslint.bans.js';

/** Code that each lint rule must reject, and similar code that must pass. */
const cases: Record<string, { rejected: string[]; passes: string[] }> = {
  'no-default-export': { rejected: ['export default class A {}', 'export default 1;'], passes: ['export class A {}'] },
  'no-double-cast': { rejected: ['const a = b as unknown as string;'], passes: ['const a = b as string;'] },
  'no-cast': {
    rejected: ['const a = b as string;', 'const a = f() as A[];', 'const a = b as A.B;'],
    passes: ['const a = JSON.parse(text) as A;', 'const a = [1, 2] as const;', 'const a = b satisfies A;'],
  },
  'no-insecure-random': { rejected: ['Math.random();', '[].map(Math.random);'], passes: ['Math.round(1);'] },
  'time-from-clock': {
    rejected: ['new Date();', 'Date.now();', 'const now = Date.now;', 'Date();'],
    passes: ["new Date('2026-01-01T00:00:00Z');", 'clock.now();'],
  },
  'settings-from-env': {
    rejected: ['const a = process.env.PORT;', "const a = process.env['PORT'];", 'f(process.env);'],
    passes: ['const a = process.pid;', 'const a = this.env.port;'],
  },
  'database-in-platform': {
    rejected: [
      "import { InjectRepository } from '@nestjs/typeorm';",
      "import type { DataSource } from 'typeorm';",
      "import { type EntityManager as Manager } from 'typeorm';",
    ],
    passes: ["import { Column, Entity } from 'typeorm';"],
  },
  'no-api-property': {
    rejected: [
      "import { ApiProperty } from '@nestjs/swagger';",
      "import { ApiPropertyOptional } from '@nestjs/swagger';",
    ],
    passes: ["import { ApiOperation } from '@nestjs/swagger';"],
  },
  'house-limits': {
    rejected: [
      "import { ArrayUnique } from 'class-validator';",
      "import { ArrayMaxSize as Max } from 'class-validator';",
      "import { ValidateNested } from 'class-validator';",
      "import { Type } from 'class-transformer';",
    ],
    passes: [
      "import { ArrayMaxSize, ArrayUnique } from './lists.js';",
      "import { ArrayMinSize } from 'class-validator';",
      "import type { Type } from '@nestjs/common';",
    ],
  },
  'no-entity-at-the-door': {
    rejected: [
      "export { A } from './a/a.entity.js';",
      "export * from './a/a.entity.js';",
      "export type { A } from './a/a.entity.js';",
      "import { A } from './a/a.entity.js';",
    ],
    passes: ["export { AService } from './a/as.service.js';"],
  },
};

function reports(name: string, code: string): string[] {
  const config = { plugins: { house: bans }, rules: { [`house/${name}`]: 'error' as const } };
  const languageOptions = { parser: tseslint.parser as Linter.Parser };
  return new Linter().verify(code, [{ ...config, languageOptions }]).map(({ ruleId, message }) => ruleId ?? message);
}

describe('the lint rules of this project', () => {
  it('every lint rule of this project has a case here', () => {
    expect(Object.keys(cases).sort()).toEqual(Object.keys(bans.rules ?? {}).sort());
  });

  const refused = Object.entries(cases).flatMap(([name, { rejected }]) =>
    rejected.map((code) => [name, code] as const),
  );
  it.each(refused)('the lint rule %s rejects: %s', (name, code) => {
    expect(reports(name, code)).toEqual([`house/${name}`]);
  });

  const passing = Object.entries(cases).flatMap(([name, { passes }]) => passes.map((code) => [name, code] as const));
  it.each(passing)('the lint rule %s allows: %s', (name, code) => {
    expect(reports(name, code)).toEqual([]);
  });
});
