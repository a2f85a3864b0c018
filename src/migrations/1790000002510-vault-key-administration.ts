import type { MigrationInterface, QueryRunner } from 'typeorm';

const BEFORE = ['encrypt', 'decrypt', 'create', 'change', 'rotation_begin', 'rotation_complete', 'rewrap'];
const NEW = ['rewrap_value', 'key_disable', 'key_enable'];

/** What people do with keys is in the vault's record as well. */
export class VaultKeyAdministration1790000002510 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.allow(runner, [...BEFORE, ...NEW]);
  }

  /** Refused where there are such entries: the record is never shortened. */
  async down(runner: QueryRunner): Promise<void> {
    await this.allow(runner, BEFORE);
  }

  private async allow(runner: QueryRunner, operations: string[]): Promise<void> {
    const list = operations.map((operation) => `'${operation}'`).join(', ');
    await runner.query('alter table vault_audit drop constraint vault_audit_operation_check');
    await runner.query(
      `alter table vault_audit add constraint vault_audit_operation_check check (operation in (${list}))`,
    );
  }
}
