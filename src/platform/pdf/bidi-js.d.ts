/*
 * The part of bidi-js that documents are laid out with. tsconfig.json names this file instead of the types of the package,
 * which describe its whole interface.
 */
interface Bidi {
  getEmbeddingLevels(text: string): { levels: Uint8Array };
  /** The parts of a line to reverse, in this order, first and last index included. */
  getReorderSegments(text: string, levels: { levels: Uint8Array }, start: number, end: number): [number, number][];
  getMirroredCharactersMap(text: string, levels: Uint8Array, start: number, end: number): Map<number, string>;
}

declare const bidiFactory: () => Bidi;
export { bidiFactory as default, type Bidi };
