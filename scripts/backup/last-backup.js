// @ts-check
/**
 * Records when a complete backup began, for the metric and the alert on its age. The role of backups only reads, unless a
 * transaction says otherwise.
 * @param {import('pg').Client} client
 * @param {string} startedAt
 */
export async function recordLastBackup(client, startedAt) {
  await client.query('begin read write');
  await client.query('select record_backup($1)', [startedAt]);
  await client.query('commit');
}
