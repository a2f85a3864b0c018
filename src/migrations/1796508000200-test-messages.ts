import type { MigrationInterface, QueryRunner } from 'typeorm';

const FORMER = ['reminder', 'contract', 'account', 'call_off', 'waiting_offer', 'manual', 'marketing', 'document'];

/** Mails by which staff try a template. */
export class TestMessages1796508000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Older builds: they neither write nor send messages of this kind.
    await runner.query(check([...FORMER, 'test'], 'not valid'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`delete from notification_messages where kind = 'test'`);
    await runner.query(check(FORMER, ''));
  }
}

function check(kinds: readonly string[], validity: string): string {
  const list = kinds.map((kind) => `'${kind}'`).join(', ');
  return `
    alter table notification_messages
      drop constraint notification_messages_kind_check,
      add constraint notification_messages_kind_check check (kind in (${list})) ${validity}`;
}
