import { currentActor, currentContext } from '../../../platform/context/request-context.js';
import { newId } from '../../../platform/ids/id.js';

export type VaultOperation =
  | 'encrypt'
  | 'decrypt'
  | 'rewrap_value'
  | 'create'
  | 'change'
  | 'rotation_begin'
  | 'rotation_complete'
  | 'key_disable'
  | 'key_enable'
  | 'key_destruction_schedule'
  | 'key_destruction_cancel'
  | 'key_destroy'
  | 'rewrap';

/** An operation on a vault. It never contains a value or a ciphertext. */
export interface VaultRecord {
  operation: VaultOperation;
  vaultId: string;
  keyVersion?: number;
  /** Length of the plaintext. */
  bytes?: number;
}

export interface AuditEntry {
  id: string;
  recordedAt: Date;
  actorType: string;
  actorId: string;
  vaultId: string;
  operation: VaultOperation;
  keyVersion: number | null;
  bytes: number;
  requestId: string;
  serverRequestId: string;
  /** `done`, or the error code. */
  outcome: string;
}

/** Adds the actor and the request. The id makes a repeated insert harmless. */
export function toEntry(record: VaultRecord, outcome: string, now: Date): AuditEntry {
  const { type: actorType, id: actorId } = currentActor();
  const { requestId, serverRequestId } = currentContext();
  return {
    id: newId('vaud'),
    recordedAt: now,
    actorType,
    actorId,
    vaultId: record.vaultId,
    operation: record.operation,
    keyVersion: record.keyVersion ?? null,
    bytes: record.bytes ?? 0,
    requestId,
    serverRequestId,
    outcome,
  };
}

export const INSERT_ENTRIES = `
  insert into vault_audit
    (id, recorded_at, actor_type, actor_id, vault_id, operation, key_version, bytes, request_id,
     server_request_id, outcome)
  select * from unnest(
    $1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int[], $8::int[], $9::text[],
    $10::text[], $11::text[])
  on conflict do nothing`;

/** The entries as the parameters of INSERT_ENTRIES. */
export function columnsOf(entries: readonly AuditEntry[]): unknown[][] {
  return [
    entries.map(({ id }) => id),
    entries.map(({ recordedAt }) => recordedAt),
    entries.map(({ actorType }) => actorType),
    entries.map(({ actorId }) => actorId),
    entries.map(({ vaultId }) => vaultId),
    entries.map(({ operation }) => operation),
    entries.map(({ keyVersion }) => keyVersion),
    entries.map(({ bytes }) => bytes),
    entries.map(({ requestId }) => requestId),
    entries.map(({ serverRequestId }) => serverRequestId),
    entries.map(({ outcome }) => outcome),
  ];
}
