import { createRequire } from 'node:module';
import type { exactSearch as ExactSearch, MetricKind as Metrics } from 'usearch';

interface Usearch {
  readonly exactSearch: typeof ExactSearch;
  readonly MetricKind: typeof Metrics;
}

/** Computes the inner product of a vector with each row of a matrix of int8 numbers. */
export type InnerProducts = (rows: Int8Array, vector: Int8Array) => Float32Array;

let loaded: InnerProducts | null = null;

/**
 * usearch compares vectors with the SIMD instructions of the processor: 100,000 vectors of 512 dimensions in 7 ms of CPU,
 * against 85 ms in JavaScript. Sums of products of integers are exact in float32 below 2^24, which 1,040 dimensions cannot
 * exceed; so up to this number both give the same results on every machine. It is loaded on first use and not by an import,
 * because it has no binary for Windows and for Linux with musl.
 */
export function loadInnerProducts(): InnerProducts {
  loaded ??= withUsearch() ?? innerProductsInJavaScript;
  return loaded;
}

/** Returns null if there is no binary for this system. */
function withUsearch(): InnerProducts | null {
  const usearch = requireUsearch();
  if (!usearch) return null;
  const { exactSearch, MetricKind } = usearch;
  return (rows, vector) => {
    if (rows.length === 0) return new Float32Array(0);
    // usearch ignores the offset of a typed array in its buffer.
    if (rows.byteOffset !== 0 || vector.byteOffset !== 0) return innerProductsInJavaScript(rows, vector);
    // The rows are passed as the queries, so that it sorts nothing and answers in their order. The distance is 1 - product.
    const { distances } = exactSearch(vector, rows, vector.length, 1, MetricKind.IP, 1);
    for (let index = 0; index < distances.length; index += 1) distances[index] = 1 - (distances[index] ?? 0);
    return distances;
  };
}

function requireUsearch(): Usearch | null {
  try {
    return createRequire(import.meta.url)('usearch') as Usearch;
  } catch (error) {
    const [reason = ''] = String(error).split('\n');
    process.emitWarning(
      `usearch has no binary for this system, so search by meaning takes ten times as long: ${reason}`,
    );
    return null;
  }
}

/** The fallback without usearch. */
export function innerProductsInJavaScript(rows: Int8Array, vector: Int8Array): Float32Array {
  const dimensions = vector.length;
  const products = new Float32Array(rows.length / dimensions);
  for (let row = 0; row < products.length; row += 1) {
    const offset = row * dimensions;
    let sum = 0;
    for (let index = 0; index < dimensions; index += 1) sum += (vector[index] ?? 0) * (rows[offset + index] ?? 0);
    products[row] = sum;
  }
  return products;
}
