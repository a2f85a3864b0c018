/**
 * Events of one form: on which channels they appear, and the members that they carry beside the event's own `id`. In the name of
 * a channel `{fact}` stands for that fact of the event; where the fact is null, the event does not appear on that channel.
 */
export interface EventGroup {
  channels: readonly string[];
  events: readonly string[];
  members: readonly string[];
}
