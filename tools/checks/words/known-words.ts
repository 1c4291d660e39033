/** Where the words of plain-words.ts stay for now, and why. An entry that is no longer needed fails the check. */

const refusals = 'the text of a refusal, which callers and tests compare: to be changed together with them';

/** Texts: a file or folder, and the rule that its errors or paragraphs still break. */
export const knownTexts: readonly { readonly path: string; readonly word: string; readonly reason: string }[] = [
  { path: 'packages/cli/src/upkeep/local-store.ts', word: 'beside', reason: refusals },
  { path: 'packages/cli/src/upkeep/migrate.ts', word: 'is no', reason: refusals },
  { path: 'packages/server/src/features/deployments/rendering/object-problems.ts', word: 'nobody', reason: refusals },
  { path: 'packages/server/src/features/schedules/schedule-rules.ts', word: 'is no', reason: refusals },
  { path: 'packages/server/src/features/schedules/timing/zone-rules.ts', word: 'stand', reason: refusals },
  { path: 'packages/server/src/features/templates/template-rules.ts', word: 'is no', reason: refusals },
  { path: 'packages/server/src/features/templates/template-rules.ts', word: 'stand', reason: refusals },
  { path: 'packages/server/src/features/ui/', word: 'is no', reason: refusals },
  { path: 'packages/server/src/models/sdk/sdk-options.ts', word: 'told', reason: 'a condition of agents, as above' },
  { path: 'packages/server/src/resources/manifest/', word: 'is no', reason: refusals },
  { path: 'packages/server/src/resources/manifest/', word: 'stand', reason: refusals },
];

/** Names in code. */
export const knownNames: readonly { readonly names: readonly string[]; readonly reason: string }[] = [
  {
    names: ['Surroundings', 'UpkeepSurroundings'],
    reason:
      'what a process gives the server or a tool: a rename through eleven files, to be done with the next change of wiring',
  },
  {
    names: [
      ...['KindDoor', 'KindDoorDeps', 'StoredKindDoor', 'NamespaceDoor', 'door', 'kind-door', 'door-contract'],
      ...['DoorAddress', 'DoorMetadata', 'DoorPage', 'DoorQuestion'],
    ],
    reason: 'the operations of one kind, used by eight features: a rename through twenty files',
  },
  { names: ['StateWish', 'wish'], reason: 'the phase that a write asks for, with the next change of channel-rules' },
  { names: ['LostRace', 'lost-race'], reason: 'a write conflict of a replica, thrown and caught in four files' },
];
