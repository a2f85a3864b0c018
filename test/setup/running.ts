type Close = () => Promise<void>;

const running = new Set<Close>();

/** Registers `close` for the end of the file, unless it is called before. */
export function closeAfterTests(close: Close): Close {
  const once = async () => {
    if (running.delete(once)) await close();
  };
  running.add(once);
  return once;
}

/** Closes everything that is still open, newest first. */
export async function closeRunning(): Promise<void> {
  for (const close of [...running].reverse()) await close();
}
