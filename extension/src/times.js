// How long anything waits, in milliseconds, and why so long.

// ——— Answers of the server

/** A server that writes a large chat to a slow disk takes seconds; after a minute nobody believes that it still works. */
export const SERVER_ANSWER = 60_000;
/** For questions that make the server read all chats: that takes as long as it takes. */
export const SERVER_READS_ALL = 60 * SERVER_ANSWER;
/** When to take a server for silent that may never answer. If it is only slow, asking for each chat is no slower. */
export const SERVER_IS_SILENT = 5000;
/** Before something is tried once more: long enough for a connection that broke to be there again. */
export const TRY_AGAIN = 1500;
/** How long an answer of before is waited for that may be on its way; one that never comes holds nobody up. */
export const ANSWER_OF_BEFORE = 1500;

// ——— One operation at a time

/** How long the claim of a tab that is gone may stand: a tab in the background is woken once in a while only. */
export const LEASE = 20_000;
/** A claim is renewed well before it runs out, also if one renewal fails. */
export const LEASE_RENEWAL = LEASE / 4;
/** How often to ask whether the claim is free: nobody notices so short a wait. */
export const CLAIM_AGAIN = 100;
/** How long another operation is waited for: most are over sooner, and nobody looks at a page that does nothing for longer. */
export const OTHER_OPERATION = 5000;
/** The same after a crash: the claim of the tab that crashed may be in force still. */
export const CRASHED_OPERATION = LEASE + OTHER_OPERATION;
/** The same before the copy of a lorebook is kept: SillyTavern waits with its deletion meanwhile. */
export const OPERATION_BEFORE_COPY = 1500;

// ——— SillyTavern, and other extensions

/** SillyTavern opens a chat as soon as it has its answer, so it waits for what must be right by then; not for longer. */
export const TAVERN_WAITS = 5000;
/** Until SillyTavern has done what it does at its start: it should not become slower by us. */
export const AFTER_START = 2000;
/** Until SillyTavern has done what it does itself after a name has changed, or something is gone. */
export const AFTER_CHANGE = 1500;
/** How long SillyTavern may take to learn of what its server did: it may load a large chat first. */
export const TAVERN_LEARNS = 30_000;
/** How often to look whether it has. */
export const LOOK_AGAIN = 200;
/**
 * What belongs together comes within that: SillyTavern renames a lorebook by making one and deleting the other, and
 * Auto-Recap deletes a lorebook as soon as it hears that its chat is deleted.
 */
export const IN_ONE_GO = 10_000;
/** Nobody's listener holds up a fork for longer. */
export const LISTENERS = 3000;
/** How often to ask whether a memory extension has done its work, which takes many seconds. */
export const WAITING_WORK = 2000;
/** How often to look whether somebody else's question is answered. */
export const QUESTION_OF_OTHERS = 300;

// ——— Looking at what is open

/** Who clicks through chats wants to know about the one that stays open. */
export const CHAT_STAYS = 600;
/** The same for the whole family, which takes longer to read. */
export const CHAT_STAYS_FOR_LONG = 3000;
/** Longer than it takes to open another chat, or to send a message: message buttons are judged after that. */
export const BUTTONS = 1000;
/** A page that is never idle is looked at nevertheless. */
export const IDLE_AT_LATEST = 3000;
/** Where a browser does not tell when it is idle. */
export const PROBABLY_IDLE = 100;

// ——— What people see

/** Steps are shown from then on: what is over before would only flicker. */
export const PROGRESS_SHOWN = 700;
/** What takes longer is told. */
export const WORK_TOLD = 1500;
/** A notice of a few lines can be read in that time. */
export const NOTICE = 10_000;
/** One of a single line, or of what is well. */
export const BRIEF_NOTICE = 5000;
/** A brief one goes soon after the pointer has left it. */
export const BRIEF_NOTICE_LEFT = 2000;
/** One with a button: there is time to think about it. */
export const NOTICE_WITH_BUTTON = 20_000;

/** What draws much does so for this long before the page has its turn. */
export const STRETCH = 12;
/** After the last letter that is typed into a search: most are not done before. */
export const TYPING_STOPS = 150;
