// SillyTavern's own modules, as far as they are used here.

declare module '*/bookmarks.js' {
    export function updateBookmarkDisplay(message: unknown, link: string | null): void;
}

declare module '*/user.js' {
    export function getCurrentUserHandle(): string;
}

declare module '*/world-info.js' {
    export const worldInfoCache: Map<string, object>;
    export function saveWorldInfo(name: string, data: object, immediately: boolean): Promise<void>;
    export const world_names: string[];
    export const selected_world_info: string[];
    export const world_info: { charLore?: unknown[] };
}

declare module '*/script.js' {
    export const CLIENT_VERSION: string;
    export function isGenerating(): boolean;
    export function saveItemizedPrompts(chatId: string): Promise<void>;
}

declare module '*/lib.js' {
    export const DiffMatchPatch: new () => any;
}
