// SillyTavern's surface, as far as it is used here.

export interface Character {
    name: string;
    avatar: string;
    chat: string;
    /** Whether SillyTavern has not read all of the card yet. */
    shallow?: boolean;
    data?: { extensions?: { world?: string } };
    /** When a chat of it was last written. */
    date_last_chat?: number;
}

export interface Group {
    id: string;
    name: string;
    chats: string[];
}

export interface PopupOptions {
    okButton?: string;
    cancelButton?: string;
    customButtons?: { text: string; result: number }[];
    animation?: string;
    allowVerticalScrolling?: boolean;
    leftAlign?: boolean;
    onClosing?: () => boolean;
    wide?: boolean;
    wider?: boolean;
}

export declare class Popup {
    constructor(content: Element, type: number, value?: string | null, options?: PopupOptions);
    static util: { popups: Popup[] };
    dlg: HTMLDialogElement;
    closeButton: HTMLElement;
    show(): Promise<string | number | boolean | null>;
    complete(result: number): Promise<unknown>;
    completeCancelled(): Promise<unknown>;
    completeAffirmative(): Promise<unknown>;
}

export interface Context {
    chat: { mes?: string; send_date?: string | number; extra?: { bookmark_link?: string; branches?: string[] } }[];
    chatMetadata: Record<string, any>;
    characters: Character[];
    groups: Group[];
    characterId?: string | number;
    groupId?: string | null;
    getCurrentChatId(): string | undefined;
    getRequestHeaders(): Record<string, string>;
    openCharacterChat(name: string): Promise<void>;
    openGroupChat(group: string, name: string): Promise<void>;
    reloadCurrentChat(): Promise<void>;
    renameChat?(from: string, to: string): Promise<void>;
    updateWorldInfoList(): Promise<void>;
    reloadWorldInfoEditor?(name: string): void;
    translate(text: string, key?: string): string;
    getCurrentLocale(): string;
    saveSettingsDebounced(): void;
    powerUserSettings: Record<string, unknown>;
    extensionSettings: Record<string, any>;
    /** What is remembered for the user, on all devices. */
    accountStorage: { getItem(key: string): string | null; setItem(key: string, value: string): void };
    SlashCommandParser: { commands: Record<string, { callback: Function; namedArgumentList?: unknown[] }>; addCommandObject(command: unknown): void };
    SlashCommand: { fromProps(props: object): unknown };
    SlashCommandArgument: { fromProps(props: object): unknown };
    SlashCommandNamedArgument: { fromProps(props: object): unknown };
    SlashCommandEnumValue: new (value: string, description?: string) => unknown;
    ARGUMENT_TYPE: Record<string, string>;
    Popup: typeof Popup;
    POPUP_TYPE: { TEXT: number; CONFIRM: number; INPUT: number; DISPLAY: number };
    POPUP_RESULT: { AFFIRMATIVE: number };
    eventTypes: Record<string, string>;
    eventSource: {
        on(event: string, listener: Function): void;
        once(event: string, listener: Function): void;
        emit(event: string, ...values: unknown[]): Promise<void>;
        removeListener(event: string, listener: Function): void;
        makeFirst(event: string, listener: Function): void;
    };
}
