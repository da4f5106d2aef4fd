// A long text in an answer of the server, taken apart as it comes: to read all of it at once would hold up the page.

/** So much is handed out at once, in characters, and what is missing of the last line. */
const PIECE = 64 * 1024;

/** The lines of a text that is one field of a JSON answer. */
export class Lines {
    /**
     * @param {Response} response
     * @param {string} field
     */
    constructor(response, field) {
        this.reader = response.body?.getReader();
        this.decoder = new TextDecoder();
        // Inside of a text its quotes would be escaped.
        this.start = `"${field}":"`;
        this.isInside = false;
        this.rest = '';
    }

    /**
     * Some whole lines, with their ends; null when there are no more.
     * @returns {Promise<string | null>}
     */
    async next() {
        while (this.reader) {
            const end = this.isInside && this.rest.length >= PIECE ? endOfLine(this.rest) : 0;
            if (end > 0) {
                const piece = JSON.parse(`"${this.rest.slice(0, end)}"`);
                this.rest = this.rest.slice(end);
                return piece;
            }
            const { done, value } = await this.reader.read();
            this.rest += this.decoder.decode(value, { stream: !done });
            this.enter();
            if (!done) continue;
            this.reader = undefined;
            // Half an answer is none: nobody may take it for a short chat.
            if (!this.isInside) throw new Error('the answer of the server is not what was asked for');
            return JSON.parse(`{"":"${this.rest}`)[''];
        }
        return null;
    }

    /** All that is left of them. */
    async all() {
        let text = '';
        for (let piece = await this.next(); piece !== null; piece = await this.next()) text += piece;
        return text;
    }

    /** The first of them; the rest is not waited for. */
    async first() {
        const [line = ''] = ((await this.next()) ?? '').split('\n');
        await this.reader?.cancel();
        return line;
    }

    enter() {
        const at = this.isInside ? -1 : this.rest.indexOf(this.start);
        if (at < 0) return;
        this.isInside = true;
        this.rest = this.rest.slice(at + this.start.length);
    }
}

/**
 * Where, after a piece's worth of an escaped text, the next line begins; 0 if that cannot be seen yet.
 * @param {string} text
 */
function endOfLine(text) {
    for (let at = text.indexOf('\\n', PIECE - 2); at >= 0; at = text.indexOf('\\n', at + 1)) {
        // Behind another backslash it would be two letters.
        let before = at;
        while (text[before - 1] === '\\') before -= 1;
        if ((at - before) % 2 === 0) return at + 2;
    }
    return 0;
}
