// @ts-check
/**
 * State of a restored database that an operator must know before jobs run on it.
 * @typedef {object} RestoredState
 * @property {Record<string, number>} waitingJobs jobs by name
 * @property {number} waitingMails
 * @property {number} unpublishedEvents
 * @property {string[]} keyIds key-encryption keys that the stored keys need
 */

const JOBS = `select identifier as name, count(*)::int as count
  from graphile_worker._private_jobs jobs join graphile_worker._private_tasks tasks on tasks.id = jobs.task_id
  where attempts < max_attempts group by identifier order by identifier`;
const MAILS = `select count(*)::int as count from notification_messages where status = 'queued'`;
const EVENTS = 'select count(*)::int as count from outbox_events';
const KEYS = `select kek_id from service_keys union select kek_id from vault_key_versions where kek_id is not null order by 1`;

/** The tables whose rows name stored files, besides attachments and documents, which are newer. */
const FILE_TABLES = ['invoice_renditions', 'organization_profile', 'invoice_issuers'];
const FILES = `select storage_key as key from invoice_renditions where storage_key is not null
  union select logo ->> 'sha256' from organization_profile where logo is not null
  union select issuer -> 'logo' ->> 'sha256' from invoice_issuers where issuer -> 'logo' ->> 'sha256' is not null`;
const ATTACHED = 'select distinct content_key as key from attachments where content_key is not null';
const PRINTED = `select content_key as key from record_documents where status in ('ready', 'stale')`;

/** @param {import('pg').Client} client @returns {Promise<RestoredState>} */
export async function restoredState(client) {
  const jobs = await rowsOf(client, ['graphile_worker._private_jobs'], JOBS);
  const [mails] = await rowsOf(client, ['notification_messages'], MAILS);
  const [events] = await rowsOf(client, ['outbox_events'], EVENTS);
  return {
    waitingJobs: Object.fromEntries(jobs.map(({ name, count }) => [name, count])),
    waitingMails: mails?.count ?? 0,
    unpublishedEvents: events?.count ?? 0,
    keyIds: await neededKeys(client),
  };
}

/** @param {import('pg').Client} client @returns {Promise<string[]>} */
export async function neededKeys(client) {
  const rows = await rowsOf(client, ['service_keys', 'vault_key_versions'], KEYS);
  return rows.map(({ kek_id: id }) => id);
}

/** Returns the keys of the stored files that rows name. @param {import('pg').Client} client @returns {Promise<string[]>} */
export async function neededFiles(client) {
  const rows = [
    ...(await rowsOf(client, FILE_TABLES, FILES)),
    ...(await rowsOf(client, ['attachments'], ATTACHED)),
    ...(await rowsOf(client, ['record_documents'], PRINTED)),
  ];
  return rows.map(({ key }) => key);
}

/**
 * Returns no rows if a table does not exist, because the database may be older than the table. @param {import('pg').Client}
 * client @param {string[]} tables @param {string} text
 */
async function rowsOf(client, tables, text) {
  const { rows } = await client.query(
    'select bool_and(to_regclass(name) is not null) as exist from unnest($1::text[]) as name',
    [tables],
  );
  return rows[0].exist ? (await client.query(text)).rows : [];
}
