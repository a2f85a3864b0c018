import type { EventGroup } from '../../platform/outbox/outbox.js';

export const organizationEvents: EventGroup[] = [
  { channels: ['organization.profile'], events: ['organization_profile.updated'], members: ['version'] },
  { channels: ['organization.settings'], events: ['organization_settings.updated'], members: ['version'] },
];
