/**
 * Events of one form: the channels on which they appear, and the members of their data beside the event's own `id`. In the
 * name of a channel `{member}` stands for the value of that member; if it is null, the event does not appear on that
 * channel.
 */
export interface EventGroup {
  channels: readonly string[];
  events: readonly string[];
  members: readonly string[];
}
