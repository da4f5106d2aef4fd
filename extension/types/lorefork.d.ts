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
    dropQueue?: boolean;
    confirmed?: boolean;
    shared?: string[];
    strict?: boolean;
    reorder?: boolean;
}

export interface Finding {
    code: string;
    message: string;
    action: string;
    details?: { operations?: { type: string; status: string; target: string | null }[] };
}

export interface Report {
    valid: boolean;
    errors: Finding[];
    warnings: Finding[];
    /** Whether waiting would help. */
    waits: boolean;
}

export interface Failure {
    code: string;
    message: string;
    hint: string;
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
    warnings: Finding[];
    entries: number;
    scene: string | null;
    recapVersion: number | null;
    /** Whether its warnings are only for the record. */
    fine: boolean;
    healed: string[];
}

export interface Opened {
    /** Null without a record of ours. */
    kind: 'main' | 'checkpoint' | 'branch' | null;
    chat: string;
    parent: string | null;
    at: number | null;
    lorebook: string | null;
    entries: number | null;
    scene: string | null;
    version: number | null;
    scenes: number | null;
    /** Milliseconds since 1970. */
    made: number | null;
    remarks: { level: 'info' | 'warning' | 'error'; message: string }[];
    sharedWith: string[];
}

export interface Span {
    from: number;
    to: number;
    state: 'ready' | 'warned' | 'blocked';
    why: string;
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
    /** Keys of Auto-Recap's settings that say something about this chat alone. */
    keptSettings(settings: string, chat: string): string[];
    verify(host: PageHost, chat: string): Promise<OrFailed<{ state: string; differences: string[] }>>;
    recover(host: PageHost): Promise<OrFailed<{ healed: string[] }>>;
    intercept(host: PageHost, open: string, body: string, lore?: string): Promise<OrFailed<Isolated> | null>;
}
