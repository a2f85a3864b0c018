import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATES = ['pending', 'primary', 'decrypt_only', 'disabled', 'destroyed'];
const OPERATIONS = [
  ...['encrypt', 'decrypt', 'create', 'change', 'rotation_begin', 'rotation_complete', 'rewrap', 'rewrap_value'],
  ...['key_disable', 'key_enable'],
];

/** The key of a version is destroyed after a waiting period, in which it can be cancelled. */
export class VaultKeyDestruction1791000000510 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.allow(runner, {
      states: [...STATES, 'pending_destruction'],
      operations: [...OPERATIONS, 'key_destruction_schedule', 'key_destruction_cancel', 'key_destroy'],
    });
    await runner.query(`
      alter table vault_key_versions
        add column destroy_at timestamptz,
        add constraint vault_key_versions_destroy_at check ((state = 'pending_destruction') = (destroy_at is not null))`);
  }

  /** Fails if there are such versions or audit entries: a pending destruction is cancelled first, and the audit is never cut. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table vault_key_versions drop column destroy_at');
    await this.allow(runner, { states: STATES, operations: OPERATIONS });
  }

  private async allow(
    runner: QueryRunner,
    { states, operations }: { states: string[]; operations: string[] },
  ): Promise<void> {
    const list = (texts: string[]) => texts.map((text) => `'${text}'`).join(', ');
    await runner.query(`
      alter table vault_key_versions
        drop constraint vault_key_versions_state_check,
        add constraint vault_key_versions_state_check check (state in (${list(states)}))`);
    await runner.query(`
      alter table vault_audit
        drop constraint vault_audit_operation_check,
        add constraint vault_audit_operation_check check (operation in (${list(operations)}))`);
  }
}
