import type { PageHost } from '../src/host.js';

export type Owner = { character: string } | { group: string };
export type Place = { owner: Owner; name: string };
export type ErrorKind = 'absent' | 'exists' | 'changed' | 'damaged' | 'busy' | 'switched' | 'failed' | 'lost';
export type Choice = 'wait' | 'dropQueue' | 'snapshot' | 'live' | 'empty';

export interface Request {
    kind: 'checkpoint' | 'branch';
    chat: Place;
    at?: number;
    swipe?: number;
    name?: string;
    lore?: string;
    /** The setting; what is shared on purpose stays shared all the same. */
    preferredLore?: string;
    dropQueue?: boolean;
    confirmed?: boolean;
    shared?: string[];
    strict?: boolean;
    reorder?: boolean;
}

/** A sentence of the engine: an English text that is the key of every language, and what stands in its places. */
export interface Said {
    says: string;
    with: (string | number | Said[])[];
}

export interface Finding extends Said {
    code: string;
    /** In English, for scripts. */
    message: string;
    action: string;
    advice: Said | null;
    /** What could be done, as data; buttons are made of those of a refusal. */
    choices: string[];
    details?: { operations?: { type: string; status: string; target: string | null }[] };
}

export interface Report {
    valid: boolean;
    errors: Finding[];
    warnings: Finding[];
    /** Whether waiting would help. */
    waits: boolean;
}

export interface Failure extends Said {
    code: string;
    message: string;
    hint: string;
    advice: Said | null;
    report: Report | null;
    choices?: Choice[];
}

export type Quality = 'none' | 'exact' | 'ranged' | 'current' | 'snapshot' | 'partial' | 'future' | 'empty' | 'shared';

export interface Created {
    kind: 'checkpoint' | 'branch';
    chat: string;
    file: string;
    lorebook: string | null;
    at: number;
    quality: Quality;
    /** Reasons to look at it. */
    warnings: Finding[];
    /** Only for the record. */
    notes: Finding[];
    entries: number;
    scene: string | null;
    recapVersion: number | null;
    healed: Said[];
}

export interface Opened {
    /** Null without a record of ours. */
    kind: 'main' | 'checkpoint' | 'branch' | null;
    chat: string;
    parent: string | null;
    at: number | null;
    lorebook: string | null;
    entries: number | null;
    /** Of how many of them nobody can tell. */
    undecided: number;
    scene: string | null;
    version: number | null;
    scenes: number | null;
    /** Milliseconds since 1970. */
    made: number | null;
    remarks: (Said & { level: 'info' | 'warning' | 'error'; message: string })[];
    sharedWith: string[];
}

export interface Span {
    from: number;
    to: number;
    state: 'ready' | 'warned' | 'blocked';
    why: Said | null;
}

/** */
export interface Status {
    is_checkpoint: boolean;
    main_chat: string | null;
    current_chat: string;
    checkpoint_state: object | null;
    current_lorebook: string | null;
    lorebook_match: boolean | null;
    running_recap_current_version: number | null;
    running_recap_version_match: boolean | null;
    shared_with: string[];
    last_message: number | null;
    lorebook_exists: boolean | null;
}

export interface Isolated {
    chat: string;
    changed: boolean;
    lorebook: string | null;
    quality: Quality | null;
    warnings: Finding[];
}

type Failed = { error: Failure };
type OrFailed<T> = (T & { error?: undefined }) | Failed;

/** What the WebAssembly offers, with its answers parsed. */
export interface Engine {
    version(): string;
    chatFile(name: string): string;
    create(host: PageHost, request: string): Promise<Created | Failed>;
    assess(host: PageHost, request: string): Promise<Report | Failed>;
    suggest(host: PageHost, request: string): Promise<string | Failed>;
    isolate(host: PageHost, chat: string, lore?: string): Promise<OrFailed<Isolated>>;
    status(host: PageHost, chat: string): Promise<OrFailed<Status>>;
    opened(host: PageHost, chat: string, shared: string): Promise<OrFailed<Opened>>;
    /** Of the messages from `first` on. */
    readiness(host: PageHost, request: string, first: number): Promise<Span[] | Failed>;
    /** What a chat with this metadata says of itself. */
    told(metadata: string, chat: string): { kind: string | null; id: string | null; parentId: string | null; at: number | null } | null;
    /** Where a chat with this metadata stands, without asking anybody. */
    whereAmI(metadata: string, chat: string): Whereabouts | null;
    /** Which keys of a header the story tree is told from. */
    storyKeys(): string[];
    /** A name that a timeline can get; those that are taken come as a JSON list. */
    newName(name: string, taken: string): OrFailed<{ name: string }>;
    /** Keys of Auto-Recap's settings that say something about this chat alone. */
    keptSettings(settings: string, chat: string): string[];
    verify(host: PageHost, chat: string): Promise<OrFailed<{ state: string; differences: string[] }>>;
    recover(host: PageHost): Promise<OrFailed<{ healed: Said[] }>>;
    intercept(host: PageHost, open: string, body: string, lore?: string): Promise<OrFailed<Created> | null>;
    check(host: PageHost, chat: string, shared: string): Promise<OrFailed<{ timelines: number; problems: Problem[] }>>;
    /** Of the problems with these keys; of all that can be put right, if there are none. */
    planFix(host: PageHost, chat: string, shared: string, keys: string, missing?: string): Promise<OrFailed<FixPlan>>;
    fix(host: PageHost, chat: string, shared: string, keys: string, missing?: string): Promise<OrFailed<Fixed>>;
    log(host: PageHost): Promise<OrFailed<Log>>;
    planUndo(host: PageHost, id?: string): Promise<OrFailed<UndoPlan>>;
    undo(host: PageHost, id?: string): Promise<OrFailed<Undone>>;
    saveBeside(host: PageHost, id?: string): Promise<OrFailed<{ lorebooks: string[]; chats: string[] }>>;
    planRewind(host: PageHost, chat: string, at: number, lore?: string): Promise<OrFailed<RewindPlan>>;
    rewind(host: PageHost, chat: string, at: number, lore?: string): Promise<OrFailed<RewindPlan & Done>>;
    planDeletion(host: PageHost, chat: string): Promise<OrFailed<Deletion>>;
    remove(host: PageHost, chat: string): Promise<OrFailed<Deletion & Done>>;
    undecided(host: PageHost, chat: string): Promise<OrFailed<{ lorebook: string; all: OpenEntry[]; warnings: Finding[] }>>;
    /** Numbers of entries, as JSON lists. */
    decide(host: PageHost, chat: string, keep: string, drop: string): Promise<OrFailed<{ chat: string; left: number; warnings: Finding[] } & Done>>;
    /** Copies of the lorebooks that MemoryBooks binds to a new timeline besides its own. */
    copyBound(host: PageHost, chat: string, shared: string): Promise<OrFailed<{ books: string[] }>>;
    /** Takes a `Happened`, as JSON. */
    follow(host: PageHost, happened: string): Promise<OrFailed<Followed>>;
    /** Keeps a copy of a lorebook that is about to be deleted. */
    keepCopy(host: PageHost, name: string, text: string): Promise<OrFailed<{ id: string | null }>>;
    lostLorebook(host: PageHost, chat: string): Promise<OrFailed<LostLorebook> | null>;
    replaceLost(host: PageHost, chat: string, instead: string, shared: string): Promise<OrFailed<{ id: string | null }>>;
    orphans(host: PageHost): Promise<Orphan[] | Failed>;
    sweepOrphans(host: PageHost, names: string): Promise<OrFailed<{ id: string | null; names: string[]; healed: Said[] }>>;
    /** Takes a `StoryRequest`, as JSON. */
    storyTree(host: PageHost, request: string): Promise<OrFailed<StoryTree> | null>;
    /** Reads a chat of the tree, so that it stands where its messages say. */
    storyLook(host: PageHost, chat: string, mark: string): Promise<OrFailed<{}>>;
    compareTimelines(host: PageHost, here: string, there: string): Promise<OrFailed<Comparison>>;
    /** Takes a list of `Chosen`, as JSON. */
    planCarry(host: PageHost, from: string, to: string, chosen: string): Promise<OrFailed<CarryPlan>>;
    carry(host: PageHost, from: string, to: string, chosen: string): Promise<OrFailed<{ plan: CarryPlan; id: string | null; healed: Said[] }>>;
    /** Takes a `Words`, as JSON. */
    label(host: PageHost, chat: string, words: string): Promise<OrFailed<{ id: string | null; label: string | null; healed: Said[] }>>;
}

/** What happens to a file, or would. */
export interface FileChange {
    kind: 'chat' | 'lorebook' | 'group';
    name: string;
    change: 'created' | 'replaced' | 'lines' | 'removed' | 'restored' | 'listed';
    /** How many lines of a chat. */
    lines: number | null;
}

export interface Operation {
    id: string;
    /** Operations before it that are told as one with it. */
    earlier: string[];
    what: 'checkpoint' | 'branch' | 'isolate' | 'fix' | 'untangle' | 'rewind' | 'delete' | 'sweep' | 'decide' | 'follow' | 'label' | 'rename' | 'carry' | 'undo';
    title: Said;
    /** Milliseconds since 1970. */
    time: number;
    undoes: string | null;
    undone: boolean;
    /** Whether it may be taken back: what followed a name goes back with the name, and what the trash no longer has, never. */
    back: 'maybe' | 'undone' | 'name' | 'emptied';
    /** A chat that has this name since, and the one it had. */
    renamed: { chat: Place; former: string } | null;
    files: FileChange[];
}

/** Newest first. */
export interface Log {
    operations: Operation[];
    unreadable: Said[];
    trash: { files: number; bytes: number };
}

/** `passedOver`: why newer ones cannot be taken back any more. */
export type UndoPlan = Pick<Operation, 'id' | 'what' | 'title' | 'files'> & { passedOver: Said[] };

export interface Undone {
    id: string;
    undid: string;
    what: Operation['what'];
    title: Said;
    files: FileChange[];
    warnings: Finding[];
    healed: Said[];
}

export interface RewindPlan {
    chat: string;
    at: number;
    lorebook: string;
    from: string;
    entries: number;
    /** Whether the lorebook stays the same one, with other entries. */
    inPlace: boolean;
    quality: Quality;
    others: string[];
    warnings: Finding[];
}

/** An entry of which nobody can tell. */
export interface OpenEntry {
    uid: string;
    name: string;
    content: string;
    /** Other timelines that have it, too. */
    with: string[];
}

export interface Deletion {
    chat: string;
    messages: number;
    /** The one that goes with it. */
    lorebook: string | null;
    /** The one that stays, and why. */
    stays: string | null;
    because: Said | null;
    /** Timelines that link to it. */
    linked: string[];
    children: string[];
    /** How many timelines note what it wrote to the lorebook. */
    remembered: number;
}

/** Something the audit found. */
export interface Problem extends Said {
    /** Tells it from others, from one look to the next. */
    key: string;
    code: string;
    severity: 'error' | 'warning' | 'note';
    chat: string | null;
    lorebook: string | null;
    /** Further chats. */
    others: string[];
    at: number | null;
    line: number | null;
    message: string;
    fix: string;
    advice: Said;
    /** Whether it can be put right without the user's help. */
    automatic: boolean;
}

/** What becomes of one timeline whose lorebook was shared. */
export interface OwnBook {
    chat: string;
    lorebook: string;
    keepsName: boolean;
    entries: number;
    restored: string[];
    leftOut: string[];
    undecided: (Said & { name: string; why: string })[];
    memoriesLeftOut: number;
    waiting: number;
}

export interface FixPlan {
    /** `left`: why it is left to the user, or, of one that was `tried`, that it is still there. */
    steps: (Problem & { left: Said | null; tried: boolean; timelines: OwnBook[] })[];
    files: FileChange[];
}

/** `mended`: how many problems are gone, as a look afterwards has shown. */
export type Fixed = FixPlan & { mended: number; operations: string[]; warnings: Finding[] };

type Done = { id: string; healed: Said[] };

/** What the page saw. */
export type Happened =
    | { what: 'renamedItself' | 'chatRenamed'; chat: Place; from: string }
    | { what: 'chatsDeleted'; chats: { chat: Place; header: string; messages?: string[] }[] }
    | {
        what: 'lorebookGone';
        name: string;
        text: string;
        /** Lorebooks that were made a moment before. */
        made: string[];
        /** Whether a chat was deleted a moment before. */
        withChat: boolean;
        /** The id of its copy. */
        copy: string | null;
    };

export interface Followed {
    /** Null if nothing had to follow. */
    id: string | null;
    chats: string[];
    orphans: string[];
    /** What a lorebook is called now that got another name. */
    lorebook: string | null;
    /** How many timelines still name a lorebook that was deleted. */
    naming: number;
    /** Whether that lorebook is back. */
    isBack: boolean;
    /** The operation that has its copy. */
    copy: string | null;
    healed: Said[];
}

export interface LostLorebook {
    lorebook: string;
    /** The message whose snapshot it could be rebuilt from. */
    snapshot: number | null;
    parent: string | null;
    parentLorebook: string | null;
}

/** A lorebook of ours that nothing names. */
export interface Orphan {
    name: string;
    bytes: number;
    /** Milliseconds since 1970. */
    time: number | null;
    timeline: string;
    from: string;
    at: number | null;
}

export interface Whereabouts {
    label: string | null;
    colour: string | null;
    canon: boolean;
    kind: 'main' | 'checkpoint' | 'branch';
    parent: string | null;
    at: number | null;
}

/** What people say of a timeline; empty, or false, takes it back. */
export interface Words {
    label?: string;
    colour?: string;
    note?: string;
    canon?: boolean;
    archived?: boolean;
}

export interface StoryRequest {
    chat: Place;
    /** All of the same character or group. `mark` tells one state of a file from another. */
    chats: { name: string; count: number; last?: string; mark: string }[];
    trash: { id: string; name: string; header: string; count: number }[];
    shared: string[];
    /** Only the way to the open chat, and what leaves it. */
    path: boolean;
    archived: boolean;
    find: string;
}

export interface StoryTree {
    family: {
        tree: { timelines: Timeline[]; picture: Picture };
        /** Whether the messages of each were read, and not only counted. */
        read: boolean[];
        /** Where the words that are looked for stand in each: in a name, or in a message. */
        found: ({ at: number | null; text: string | null } | null)[];
        /** The open one. */
        here: number | null;
    };
    /** Other families of the same character or group, and chats that stand alone. */
    others: number;
    alone: number;
    /** Chats that stand in the list of which nobody read the messages. */
    unread: string[];
}

export interface Timeline {
    chat: string;
    /** Without what all names of the family begin with. */
    name: string;
    kind: 'main' | 'checkpoint' | 'branch';
    gone: { known: 'named' } | { known: 'trash'; id: string } | null;
    parent: number | null;
    how: 'root' | 'record' | 'link' | 'content';
    /** Null if nobody saw where it leaves its parent. */
    at: number | null;
    messages: number;
    own: number | null;
    lorebook: string | null;
    lore: 'none' | 'own' | 'shared' | 'onPurpose' | 'missing';
    sharedWith: number | null;
    quality: Quality | null;
    open: boolean;
    well: boolean;
    label: string | null;
    proposed: string | null;
    colour: string | null;
    note: string | null;
    canon: boolean;
    archived: boolean;
    first: string | null;
    last: string | null;
    marks: { code: string; message: string; said: Said }[];
}

export interface Picture {
    lanes: number;
    rows: StoryRow[];
}

export interface StoryRow {
    stands: 'start' | 'fork' | 'leaf' | 'tip' | 'folded';
    timeline: number;
    lane: number;
    /** The lane that it leaves. */
    from: number | null;
    /** How many messages of the story lie before. */
    after: number;
    run: { lane: number; messages: number; scenes: string[] } | null;
    hidden: number;
    path: boolean;
}

export interface Side {
    chat: string;
    messages: number;
    lorebook: string | null;
    lorebookExists: boolean;
    after: Message[];
}

export type Message = { at: number; name: string; text: string };
export type Entry = { uid: string; name: string; keys: string[]; content: string };
export type Pair = { key: string; here: string | null; there: string | null };
export type RegistryItem = { uid: number; name: string; aliases: string[]; synopsis: string };

export interface Comparison {
    same: boolean;
    shared: number;
    partsAfter: number | null;
    here: Side;
    there: Side;
    /** The last messages that both have. */
    before: Message[];
    sameLorebook: boolean;
    entries: {
        hereOnly: Entry[];
        thereOnly: Entry[];
        changed: { name: string; hereUid: string; thereUid: string; fields: { field: string; here: string | null; there: string | null }[] }[];
        same: number;
    };
    registries: { kind: string; here: RegistryItem | null; there: RegistryItem | null }[];
    recap: Pair | null;
    variables: Pair[];
    notes: Pair[];
}

/** An entry to carry over, and what was decided if the other timeline has it already. */
export type Chosen = { uid: string; decision?: 'keep' | 'replace' | 'both' };

export interface CarryPlan {
    from: string;
    to: string;
    lorebook: string;
    entries: {
        uid: string;
        name: string;
        fate: 'added' | 'replaces' | 'same' | 'kept' | 'undecided';
        thereUid: string | null;
        content: string;
        /** What it says there, if that has to be decided. */
        there: string | null;
        registries: string[];
    }[];
    undecided: number;
    changed: boolean;
    id: string | null;
    warnings: Finding[];
}
