import { bitsOf } from './vocabulary.js';

/** One bit for each dimension of each document's vector: few differing ones mean that two vectors are near. */
export class SignBits {
  private readonly words: number;
  private bits = new Uint32Array(0);

  constructor(private readonly dimensions: number) {
    this.words = Math.ceil(dimensions / 32);
  }

  get bytes(): number {
    return this.bits.byteLength;
  }

  reserve(documents: number): void {
    if (documents * this.words <= this.bits.length) return;
    const larger = new Uint32Array(Math.max(documents * this.words, this.bits.length * 2, 64 * this.words));
    larger.set(this.bits);
    this.bits = larger;
  }

  set(document: number, isSet: (index: number) => boolean): void {
    this.bits.set(this.of(isSet), document * this.words);
  }

  /** About so many of the documents that differ the least. */
  nearest(isSet: (index: number) => boolean, documents: Uint32Array, count: number): number[] {
    const { bits, words } = this;
    const wanted = this.of(isSet);
    const distances = new Uint16Array(documents.length);
    const histogram = new Uint32Array(this.dimensions + 1);
    for (let index = 0; index < documents.length; index += 1) {
      const offset = (documents[index] ?? 0) * words;
      let differing = 0;
      for (let word = 0; word < words; word += 1) {
        differing += bitsOf((bits[offset + word] ?? 0) ^ (wanted[word] ?? 0));
      }
      distances[index] = differing;
      histogram[differing] = (histogram[differing] ?? 0) + 1;
    }
    let most = 0;
    for (let found = histogram[0] ?? 0; found < count && most < this.dimensions; found += histogram[most] ?? 0) {
      most += 1;
    }
    const nearest: number[] = [];
    for (let index = 0; index < documents.length; index += 1) {
      if ((distances[index] ?? 0) <= most) nearest.push(documents[index] ?? 0);
    }
    return nearest;
  }

  private of(isSet: (index: number) => boolean): Uint32Array {
    const bits = new Uint32Array(this.words);
    for (let index = 0; index < this.dimensions; index += 1) {
      const word = index >>> 5;
      if (isSet(index)) bits[word] = (bits[word] ?? 0) | (1 << (index & 31));
    }
    return bits;
  }
}
