/** Prints a generated secret of a provisioned resource. It is stored only as a hash, so this is the only time. */
export function printGeneratedSecret(kind: string, owner: string, secret: string): void {
  process.stdout.write(`  ${kind} of ${owner}, shown only now: ${secret}\n`);
}
