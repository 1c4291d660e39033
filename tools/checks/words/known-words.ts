/** Where the words of plain-words.ts stay for now, and why. An entry that is no longer needed fails the check. */

/** Texts: a file or folder, and the rule that its errors or paragraphs still break. */
export const knownTexts: readonly { readonly path: string; readonly word: string; readonly reason: string }[] = [];

/** Names in code. */
export const knownNames: readonly { readonly names: readonly string[]; readonly reason: string }[] = [
  {
    names: [
      'KindDoor',
      'KindDoorDeps',
      'StoredKindDoor',
      'NamespaceDoor',
      'door',
      'kind-door',
      'door-contract',
      'DoorAddress',
      'DoorMetadata',
      'DoorPage',
      'DoorQuestion',
    ],
    reason: 'the operations of one kind, used by eight features: a rename through twenty files',
  },
  { names: ['StateWish', 'wish'], reason: 'the phase that a write asks for, with the next change of channel-rules' },
  { names: ['LostRace', 'lost-race'], reason: 'a write conflict of a replica, thrown and caught in four files' },
];
