import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { assertVersion, type ExpectedVersions } from '../../../platform/http/if-match.js';
import { Policies } from '../policies/policies.service.js';
import { imageOfVersion, PolicyVersionJournal } from './policy-version-journal.js';
import { PolicyVersionRows, type VersionPlace, type VersionView } from './policy-version-rows.service.js';

/** Which version of a policy is in force. Whoever decides holds the policy, so that two at once follow each other. */
@Injectable()
export class Publications {
  constructor(
    private readonly database: Database,
    private readonly policies: Policies,
    private readonly rows: PolicyVersionRows,
    private readonly journal: PolicyVersionJournal,
    private readonly clock: Clock,
  ) {}

  /** Takes the place of the published one, which is retired. Throws 404, 409 `invalid_transition`, 412. */
  async publish(place: VersionPlace, expected: ExpectedVersions): Promise<VersionView> {
    return this.move(place, expected, async (view, now) => {
      const before = imageOfVersion(view);
      view.version.publish(view.rules, now);
      const former = await this.rows.findPublished(place.policyId);
      if (former) await this.retireOne(former, now);
      await this.rows.update(view.version);
      this.journal.record('publish', view, before);
      this.journal.announce('published', view);
    });
  }

  /** Leaves the policy without one. Throws 404, 409 `invalid_transition`, 412. */
  async retire(place: VersionPlace, expected: ExpectedVersions): Promise<VersionView> {
    return this.move(place, expected, (view, now) => this.retireOne(view, now));
  }

  private async move(
    place: VersionPlace,
    expected: ExpectedVersions,
    work: (view: VersionView, now: Date) => Promise<void>,
  ): Promise<VersionView> {
    return this.database.transaction(async () => {
      const policy = await this.policies.lock(place.policyId);
      const view = await this.rows.get(place);
      assertVersion(expected, view.version);
      await work(view, this.clock.now());
      await this.policies.touch(policy);
      return view;
    });
  }

  private async retireOne(view: VersionView, now: Date): Promise<void> {
    const before = imageOfVersion(view);
    view.version.retire(now);
    await this.rows.update(view.version);
    this.journal.record('retire', view, before);
    this.journal.announce('retired', view);
  }
}
