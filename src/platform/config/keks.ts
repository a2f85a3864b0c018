const VARIABLE = /^VAULT_KEK_([A-Za-z0-9]{1,32})$/;

/**
 * The vault's key-encryption keys: every `VAULT_KEK_<id>`, 32 bytes in base64, by id.
 * In production at least the primary must be there; elsewhere the vault makes one of its own where none is given.
 */
export function readKeks(
  variables: Readonly<Record<string, string | undefined>>,
  wanted: { primary: string | null; production: boolean },
  faults: string[],
): ReadonlyMap<string, Buffer> {
  const keks = new Map<string, Buffer>();
  for (const [name, value] of Object.entries(variables)) {
    const id = VARIABLE.exec(name)?.[1];
    if (id === undefined || id === 'PRIMARY' || !value) continue;
    const key = Buffer.from(value, 'base64');
    if (key.length === 32 && key.toString('base64') === value) keks.set(id, key);
    else
      faults.push(
        `${name}: is no key; expected 32 bytes in base64; for example the output of: openssl rand -base64 32`,
      );
  }
  const named = wanted.primary !== null;
  if (wanted.primary !== null && !keks.has(wanted.primary)) {
    faults.push(
      `VAULT_KEK_PRIMARY: names '${wanted.primary}', but VAULT_KEK_${wanted.primary} has no key; expected the id of one; for example VAULT_KEK_PRIMARY=${[...keks.keys()][0] ?? '2026a'}`,
    );
  } else if (!named && (wanted.production || keks.size > 0)) {
    faults.push(
      'VAULT_KEK_PRIMARY: is missing; expected the id of the VAULT_KEK_<id> that wraps new keys; for example VAULT_KEK_PRIMARY=2026a',
    );
  }
  return keks;
}
