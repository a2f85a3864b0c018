/** Lists of numbers in typed arrays that grow: a tenth of the memory of objects, and several times as fast to run through. */
export class Numbers<Of extends Uint32Array | Float32Array | Float64Array> {
  length = 0;

  constructor(private items: Of) {}

  static whole(capacity = 4): Numbers<Uint32Array> {
    return new Numbers(new Uint32Array(capacity));
  }

  static real(capacity = 4): Numbers<Float32Array> {
    return new Numbers(new Float32Array(capacity));
  }

  static exact(capacity = 4): Numbers<Float64Array> {
    return new Numbers(new Float64Array(capacity));
  }

  push(value: number): void {
    if (this.length === this.items.length) this.items = grown(this.items, this.length * 2);
    this.items[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.items[index] ?? 0;
  }

  /** The array itself, longer than the list; until the next `push`. */
  array(): Of {
    return this.items;
  }

  get bytes(): number {
    return this.items.byteLength;
  }
}

function grown<Of extends Uint32Array | Float32Array | Float64Array>(items: Of, capacity: number): Of;
function grown(items: Uint32Array | Float32Array | Float64Array, capacity: number) {
  const larger =
    items instanceof Uint32Array
      ? new Uint32Array(capacity)
      : items instanceof Float32Array
        ? new Float32Array(capacity)
        : new Float64Array(capacity);
  larger.set(items);
  return larger;
}
