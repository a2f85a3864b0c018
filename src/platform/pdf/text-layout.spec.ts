import bidiFactory from 'bidi-js';
import { describe, expect, it } from '@jest/globals';
import { linesOf } from './text-layout.js';

const bidi = bidiFactory();
/** Returns the runs of each line from left to right. */
const laidOut = (value: string, { label = null, ems = 100 }: { label?: string | null; ems?: number } = {}) =>
  linesOf({ label, value }, bidi, ems).map((runs) => runs.map(({ text, font }) => [text, font]));

describe('the layout of a text', () => {
  it('a European text is one run, and its label precedes it', () => {
    expect(laidOut('Łukasz Жуков Ωmega', { label: 'Name:' })).toEqual([[['Name: Łukasz Жуков Ωmega', 'European']]]);
  });

  it('Japanese text has its own font, and stays in its order', () => {
    expect(laidOut('髙橋 (Takahashi)・東京ー１')).toEqual([
      [
        ['髙橋', 'Japanese'],
        [' (Takahashi)', 'European'],
        ['・東京ー１', 'Japanese'],
      ],
    ]);
  });

  it('words of Arabic stand from right to left, each in logical order for its font, and brackets are mirrored', () => {
    expect(laidOut('شارع (الملك) 12')).toEqual([
      [
        ['12', 'European'],
        [' (', 'European'],
        ['الملك', 'Arabic'],
        [') ', 'European'],
        ['شارع', 'Arabic'],
      ],
    ]);
  });

  it('Latin words and digits inside Hebrew stay from left to right', () => {
    const [runs = []] = laidOut('תל אביב Tower 5');
    expect(runs.map(([text]) => text).join('')).toBe('Tower 5 אביב תל');
  });

  it('Arabic digits stay from left to right', () => {
    const [runs = []] = laidOut('٣٠١');
    expect(runs.map(([text]) => text)).toEqual(['٣', '٠', '١']);
  });

  it('a combining mark has the font of its base', () => {
    expect(laidOut('مُحَمَّد')).toEqual([[['مُحَمَّد', 'Arabic']]]);
  });

  it('a long text is broken before its lines are reordered, so the first words are on the first line', () => {
    const lines = laidOut('واحد اثنان ثلاثة أربعة', { ems: 8 });
    expect(lines.map((runs) => runs.map(([text]) => text))).toEqual([
      ['اثنان', ' ', 'واحد'],
      ['أربعة', ' ', 'ثلاثة'],
    ]);
  });

  it('a value does not take the direction of its label, and its own controls are removed', () => {
    const [runs = []] = laidOut('\u202eشركة ABC.', { label: 'Reason:' });
    expect(runs.map(([text]) => text).join('')).toBe('Reason: .ABC شركة');
    expect(laidOut('evil\u202egnp.exe')).toEqual([[['evilgnp.exe', 'European']]]);
  });
});
