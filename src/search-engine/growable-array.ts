type NumberArray = Uint32Array | Float32Array | Float64Array;

/** A typed array that grows. It needs a tenth of the memory of an array of objects, and iterates several times as fast. */
export class GrowableArray<Of extends NumberArray> {
  length = 0;

  constructor(private items: Of) {}

  static uint32(capacity = 4): GrowableArray<Uint32Array> {
    return new GrowableArray(new Uint32Array(capacity));
  }

  static float32(capacity = 4): GrowableArray<Float32Array> {
    return new GrowableArray(new Float32Array(capacity));
  }

  static float64(capacity = 4): GrowableArray<Float64Array> {
    return new GrowableArray(new Float64Array(capacity));
  }

  push(value: number): void {
    if (this.length === this.items.length) this.items = grown(this.items, this.length * 2);
    this.items[this.length] = value;
    this.length += 1;
  }

  at(index: number): number {
    return this.items[index] ?? 0;
  }

  /** The underlying array, which is longer than the list. It is valid until the next `push`. */
  array(): Of {
    return this.items;
  }

  get bytes(): number {
    return this.items.byteLength;
  }
}

function grown<Of extends NumberArray>(items: Of, capacity: number): Of;
function grown(items: NumberArray, capacity: number) {
  const larger =
    items instanceof Uint32Array
      ? new Uint32Array(capacity)
      : items instanceof Float32Array
        ? new Float32Array(capacity)
        : new Float64Array(capacity);
  larger.set(items);
  return larger;
}
