// @ts-check

/**
 * Does a step of a start, and says so on standard error (standard output belongs to the program that is started):
 * its name at once, a dot for every second, the seconds at the end.
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

/** Something worth knowing, on a line of its own. @param {string} line */
export function note(line) {
  process.stderr.write(`\n${line}\n`);
}
