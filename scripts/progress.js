// @ts-check

/**
 * Runs a step and prints it to standard error (standard output belongs to the started program): first its name, a dot per
 * second, and finally its duration.
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(name, work) {
  const begin = performance.now();
  process.stderr.write(`${name} `);
  const beat = setInterval(() => process.stderr.write('.'), 1000);
  try {
    const result = await work();
    process.stderr.write(` ${((performance.now() - begin) / 1000).toFixed(1)} s\n`);
    return result;
  } catch (error) {
    process.stderr.write(' failed\n');
    throw error;
  } finally {
    clearInterval(beat);
  }
}

/** Prints a message on its own line. @param {string} line */
export function note(line) {
  process.stderr.write(`\n${line}\n`);
}
