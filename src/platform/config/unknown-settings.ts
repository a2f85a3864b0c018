import { settings } from './table.js';

type Variables = Readonly<Record<string, string | undefined>>;
/** A variable that the service does not read, and the setting whose name it resembles. */
export interface UnknownSetting {
  name: string;
  likely: string;
}

/** Matches a setting with a key-encryption key; any id is possible. */
const KEY = /^VAULT_KEK_/;
const NAMES: readonly string[] = Object.values(settings).map(({ name }) => name);
/** A name counts as misspelled if at most one letter in five differs, and at most three in all. */
const LETTERS_PER_FAULT = 5;
const MOST_FAULTS = 3;

/** The variables that are misspelled settings. Most variables of an environment are meant for other programs, and resemble none. */
export function unknownSettings(variables: Variables): UnknownSetting[] {
  const others = Object.keys(variables).filter((name) => !NAMES.includes(name) && !KEY.test(name));
  return others.flatMap((name) => {
    const likely = nearest(name.toUpperCase().replace(/[-.]/g, '_'));
    return likely === null ? [] : [{ name, likely }];
  });
}

function nearest(text: string): string | null {
  const distances = NAMES.filter((name) => Math.abs(name.length - text.length) <= MOST_FAULTS)
    .map((name) => ({ name, distance: editDistance(text, name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, faultsIn(name)))
    .sort((one, other) => one.distance - other.distance);
  return distances[0]?.name ?? null;
}

function faultsIn(name: string): number {
  return Math.min(MOST_FAULTS, Math.floor(name.length / LETTERS_PER_FAULT));
}

/** Returns the number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    rows.push(current);
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = at(row - 1, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = row > 1 && column > 1 && isSwap ? at(row - 2, column - 2) + 1 : Infinity;
      current.push(Math.min(replaced, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1));
    }
  }
  return at(from.length, to.length);
}
